// Large entries to the diagonal, by an auction among all ranks, beside the matching that one rank finds.

#include "trisweep/solve/parallel_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gallery/gallery.hpp"
#include "support/row_order.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/permutation.hpp"

namespace trisweep::solve {
namespace {

template <Scalar T>
std::optional<ordering::Matching> matching_of(const matrix::Csr<T>& a) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(a.rows(), comm.size());
  testing_support::RowsOf<T> of_rank;
  for (Index i = 0; i < partition.count(comm.rank()); ++i)
    of_rank.number.push_back(partition.first(comm.rank()) + i);
  const matrix::Csr<T> rows = of_rank.of(a, false).a;
  return match_in_parallel(comm, rows, partition, equilibrate(comm, rows, partition), silent_observer());
}

// A matrix in other units, its rows in another order.
template <Scalar T>
matrix::Csr<T> disguised(matrix::Csr<T> a) {
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i))
      a.value[usize(e)] *= static_cast<RealOf<T>>(std::exp2(i % 13 - a.pattern.col[usize(e)] % 17));
  return testing_support::with_rows_shuffled(a);
}

// The sum of log2 |a(i,col(i))|.
template <Scalar T>
double bits(const matrix::Csr<T>& a, const std::vector<Index>& col_of_row) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] == col_of_row[usize(i)]) sum += std::log2(std::abs(a.value[usize(e)]));
  return sum;
}

template <class T>
class ParallelMatching : public testing::Test {};
TYPED_TEST_SUITE(ParallelMatching, testing_support::Scalars);

TYPED_TEST(ParallelMatching, IsNearlyTheBest) {
  using T = TypeParam;
  constexpr double bit_of_row = 0.25;  // the last increment
  for (const auto& [kind, n] :
       std::vector<std::pair<std::string, int>>{{"convection3d", 7}, {"random", 300}, {"tridiagonal", 200}}) {
    const auto a =
        disguised(matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}))));
    const auto made = matching_of(a);
    ASSERT_TRUE(made) << kind;
    const std::vector<Index>& col = made->col_of_row;
    ASSERT_EQ(inverse_permutation(inverse_permutation(col)), col) << kind;
    const auto best = ordering::match_large_entries(a, silent_observer());
    EXPECT_GE(bits(a, col), bits(a, best.col_of_row) - bit_of_row * a.rows()) << kind;
    for (Index i = 0; i < a.rows(); ++i) {
      for (const Offset e : a.pattern.entries(i)) {
        const Index j = a.pattern.col[usize(e)];
        const double size =
            double(std::abs(a.value[usize(e)])) * made->scaling.row[usize(i)] * made->scaling.col[usize(j)];
        EXPECT_LE(size, 2 * std::exp2(bit_of_row) * 1.01) << kind;
        if (j == col[usize(i)]) EXPECT_NEAR(std::log2(size), 0, 1.01) << kind;
      }
    }
  }
}

// Rows and columns without entries, and two rows with entries in one column alone.
TEST(ParallelMatching, EndsWhereRowsCannotBeMatched) {
  const auto whole =
      matrix::convert<double>(std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 5})));
  for (const auto& keeps : std::vector<std::function<bool(Index, Index)>>{
           [](Index i, Index) { return i != 60; }, [](Index, Index j) { return j != 3; },
           [](Index i, Index j) { return (i != 3 && i != 4) || j == 3; }}) {
    auto a = whole;
    for (Index i = 0; i < a.rows(); ++i)
      for (const Offset e : a.pattern.entries(i))
        if (!keeps(i, a.pattern.col[usize(e)])) a.value[usize(e)] = 0;
    EXPECT_FALSE(matching_of(a));
  }
}

}  // namespace
}  // namespace trisweep::solve
