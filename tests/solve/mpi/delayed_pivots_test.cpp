// Plans for the structure that came out of a factorization with delayed pivots.

#include <gtest/gtest.h>

#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::world_size;

template <class T>
class DelayedPivotsSolver : public testing::Test {};
TYPED_TEST_SUITE(DelayedPivotsSolver, testing_support::Scalars);

// All of up to four ranks; of more the flattest and the one with most layers.
std::vector<distribution::ProcessGrid> some_grids() {
  const auto all = grids_of(world_size());
  if (world_size() <= 4) return all;
  return {all.front(), all.back()};
}

// Of condition 1e2 to 1e4, which is what one sweep may lose: the saddle point, whose rows no matching scales,
// has the largest.
TYPED_TEST(DelayedPivotsSolver, SolvesEveryOpWithEveryMappingAndWholeSeparators) {
  using T = TypeParam;
  const auto basis = testing_support::integer_basis(300, 1, 2);
  for (const auto& [rows, whole_levels, matching, most] :
       {std::tuple(basis, 0, true, 5000.0),
        {basis, 3, true, 5000.0},
        {testing_support::saddle_point(150, 2), 0, false, 10000.0},
        {testing_support::signs(120, 2, 4), 3, true, 5000.0}}) {
    const auto a = testing_support::with_phases<T>(rows);
    const auto factors = factored(a, whole_levels, matching);
    ASSERT_GT(factors->factors->delayed_pivots, 0);
    ASSERT_EQ(factors->factors->perturbed_pivots, 0);
    for (const auto& grid : some_grids()) {
      for (const auto& mapping : distribution::mappings()) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors, {.grid = grid, .mapping = mapping});
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          EXPECT_LT(testing_support::solve_error(solver, a, op, 2), most)
              << grid.name() << " " << mapping.name << " op " << char(op) << " whole levels " << whole_levels;
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
  const auto f = factor<Single<double>>(a, std::make_shared<const Analysis>(analyze(a)));
  EXPECT_GT(f.factors->delayed_pivots, 0);
  EXPECT_EQ(f.factors->perturbed_pivots, 0);
}

}  // namespace
}  // namespace trisweep::solve
