#include "trisweep/solve/explicit_factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/analyzed_system.hpp"

namespace trisweep::solve {
namespace {

using testing_support::random_matrix;
using testing_support::RowsOf;
using testing_support::uneven_blocks;
using testing_support::world_rank;

// Of L U and of A, both as L U has them: the largest difference, relative to the largest entry.
template <Scalar T>
double difference(const ExplicitFactors<T>& factors, const matrix::Csr<T>& a) {
  const std::size_t n = usize(a.rows());
  std::vector<T> product(n * n), expected(n * n);
  const auto& [lt, u, row_new, col_new, row_scale, col_scale, perturbed_pivots] = factors;
  for (Index k = 0; k < a.rows(); ++k) {
    for (const Offset p : lt.pattern.entries(k)) {
      for (const Offset q : u.pattern.entries(k))
        product[usize(lt.pattern.col[usize(p)]) * n + usize(u.pattern.col[usize(q)])] +=
            lt.value[usize(p)] * u.value[usize(q)];
    }
  }
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      const std::size_t j = usize(a.pattern.col[usize(p)]);
      expected[usize(row_new[usize(i)]) * n + usize(col_new[j])] =
          a.value[usize(p)] * static_cast<RealOf<T>>(row_scale[usize(i)] * col_scale[j]);
    }
  }
  return testing_support::largest_difference(product, expected);
}

template <Scalar T>
void expect_triangles(const ExplicitFactors<T>& factors) {
  for (const auto* triangle : {&factors.l_transposed, &factors.u}) {
    for (Index k = 0; k < triangle->rows(); ++k) {
      const auto row = triangle->pattern.row(k);
      ASSERT_FALSE(row.empty());
      EXPECT_EQ(row.front(), k);
      EXPECT_TRUE(std::ranges::is_sorted(row));
    }
  }
  for (Index k = 0; k < factors.l_transposed.rows(); ++k)
    EXPECT_EQ(factors.l_transposed.value[usize(factors.l_transposed.pattern.row_ptr[usize(k)])], T(1));
}

template <class T>
class ExplicitFactorsTest : public testing::Test {};
TYPED_TEST_SUITE(ExplicitFactorsTest, testing_support::Scalars);

TYPED_TEST(ExplicitFactorsTest, AreThoseOfTheScaledMatrix) {
  using T = TypeParam;
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  for (const bool hermitian : {false, true}) {
    auto a = random_matrix<T>({.n = 90, .per_row = 4, .hermitian = hermitian, .seed = 3});
    Solver<T> solver(MPI_COMM_WORLD, RowsOf<T>{uneven_blocks(90).number}.of(a, false));
    const ExplicitFactors<T> factors = solver.explicit_factors();
    if (world_rank() > 0) {
      EXPECT_TRUE(factors.row_new.empty());
      continue;
    }
    EXPECT_EQ(solver.report().factor.kind, hermitian ? "cholesky" : "lu");
    expect_triangles(factors);
    EXPECT_LT(difference(factors, a), 1000 * eps);
  }
}

TYPED_TEST(ExplicitFactorsTest, FollowTheValuesOfSolversWithOneAnalysis) {
  using T = TypeParam;
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  auto a = random_matrix<T>({.n = 90, .per_row = 4, .seed = 3});
  const RowsOf<double> rows = uneven_blocks(90);
  const AnalyzedSystem<T> analyzed(MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, false));
  for (const double shift : {0.0, 0.25}) {
    for (std::size_t e = 0; e < a.value.size(); ++e) a.value[e] += T(shift * std::sin(double(e)));
    const BlockRows<T> mine = RowsOf<T>{rows.number}.of(a, false);
    Solver<T> solver = analyzed.factorize(MPI_COMM_WORLD, mine.a.value);
    EXPECT_EQ(solver.report().factor.analysis_seconds, 0);
    const auto factors = solver.explicit_factors();
    if (world_rank() == 0) EXPECT_LT(difference(factors, a), 1000 * eps);
    std::vector<T> b(mine.a.pattern.row_ptr.size() - 1, T(1)), x(b.size());
    EXPECT_TRUE(solver.solve({b.data(), solver.rows(), 1}, {x.data(), solver.rows(), 1}).solved());
  }
  // In a solver that values with other pivots have been through: those of a new one.
  Solver<T> fresh = analyzed.factorize(MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, false).a.value);
  Solver<T> used = analyzed.factorize(MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, false).a.value);
  auto other = a;
  std::ranges::reverse(other.value);
  used.refactor(RowsOf<T>{rows.number}.of(other, false).a.value);
  analyzed.factorize_into(used, RowsOf<T>{rows.number}.of(a, false).a.value);
  EXPECT_EQ(used.explicit_factors().u.value, fresh.explicit_factors().u.value);
  const std::vector<T> too_many(usize(analyzed.entries()) + 1);
  EXPECT_THROW(analyzed.factorize(MPI_COMM_WORLD, too_many), Error);
}

}  // namespace
}  // namespace trisweep::solve
