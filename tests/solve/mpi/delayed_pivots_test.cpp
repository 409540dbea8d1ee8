// Plans for the structure that came out of a factorization with delayed pivots.

#include <gtest/gtest.h>

#include "support/hard_to_pivot.hpp"
#include "support/solver.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::world_size;

template <class T>
class DelayedPivotsSolver : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DelayedPivotsSolver, Scalars);

// Of condition 1e2 to 1e4, which is what one sweep may lose.
TYPED_TEST(DelayedPivotsSolver, SolvesEveryOpWithEveryMappingAndWholeSeparators) {
  using T = TypeParam;
  for (const auto& rows : {testing_support::integer_basis(300, 1, 2), testing_support::saddle_point(150, 2),
                           testing_support::signs(120, 2, 4)}) {
    const auto a = testing_support::with_phases<T>(rows);
    for (const int whole_levels : {0, 3}) {
      const auto factors = factored(a, whole_levels);
      ASSERT_GT(factors->factors->delayed_pivots, 0);
      ASSERT_EQ(factors->factors->perturbed_pivots, 0);
      for (const auto& grid : grids_of(world_size())) {
        for (const auto& mapping : distribution::mappings()) {
          TriangularSolver<T> solver(MPI_COMM_WORLD, factors, {.grid = grid, .mapping = mapping});
          for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
            for (const Index nrhs : {1, 5}) {
              EXPECT_LT(testing_support::solve_error(solver, a, op, nrhs), 5000)
                  << grid.name() << " " << mapping.name << " op " << char(op) << " nrhs " << nrhs
                  << " whole levels " << whole_levels;
            }
          }
        }
      }
    }
  }
}

TEST(DelayedPivotsAnalysis, IsAnotherOneOnlyWherePivotsWereDelayed) {
  const auto check = [](const matrix::Csr<double>& a, bool delayed) {
    const auto analysis = std::make_shared<const Analysis>(analyze(a));
    const auto f = factor<double>(a, analysis);
    EXPECT_EQ(f.factors->delayed_pivots > 0, delayed);
    EXPECT_EQ(f.analysis == analysis, !delayed);
    EXPECT_EQ(f.analysis->structure, f.factors->structure);
    const auto& tree = f.analysis->ordering.tree;
    EXPECT_EQ(tree.end[1], a.rows());
  };
  check(testing_support::random_matrix<double>({.n = 200}), false);
  check(testing_support::with_phases<double>(testing_support::integer_basis(500, 2, 1)), true);
}

// Pivots differ in single precision, and with them the structure: refinement in double is none the worse.
TEST(DelayedPivotsAnalysis, FactorsInSinglePrecisionHaveTheirOwn) {
  const auto a = testing_support::with_phases<double>(testing_support::integer_basis(300, 2, 2));
  const auto f = factor<float>(a, std::make_shared<const Analysis>(analyze(a)));
  EXPECT_GT(f.factors->delayed_pivots, 0);
  EXPECT_EQ(f.factors->perturbed_pivots, 0);
}

}  // namespace
}  // namespace trisweep::solve
