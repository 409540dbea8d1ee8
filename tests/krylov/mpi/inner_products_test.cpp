#include "trisweep/krylov/inner_products.hpp"

#include <gtest/gtest.h>

#include "support/distributed_rows.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::in_columns;
using testing_support::own_rows;
using testing_support::random_vector;

template <class T>
class InnerProductsTest : public testing::Test {};
TYPED_TEST_SUITE(InnerProductsTest, testing_support::Scalars);

// Several row blocks a rank, and a part of one.
TYPED_TEST(InnerProductsTest, AreSumsOverAllRanksBitwiseEqualOnAnyNumberOfThreads) {
  using T = TypeParam;
  const mpi::Communicator comm(MPI_COMM_WORLD);
  constexpr Index n = 9001, cols = 3;
  const auto partition = distribution::even_partition(n, comm.size());
  const auto x = random_vector<T>(usize(n * cols), 1), y = random_vector<T>(usize(n * cols), 2);
  std::vector<Sum<T>> expected(2 * cols);
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected[i / n] += Sum<T>(conjugate(x[i])) * Sum<T>(y[i]);
    expected[i / n + cols] += std::norm(Sum<T>(y[i]));
  }
  const auto own_x = own_rows(partition, comm.rank(), x), own_y = own_rows(partition, comm.rank(), y);
  const Index rows = partition.count(comm.rank());
  const std::vector<Pair<T>> pairs{{in_columns(own_x, rows, cols), in_columns(own_y, rows, cols)},
                                   {in_columns(own_y, rows, cols), in_columns(own_y, rows, cols)}};
  std::vector<Sum<T>> first;
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const auto sums = inner_products<T>({comm, pool}, pairs);
    EXPECT_LT(testing_support::largest_difference(sums, expected), 1e-10);
    if (first.empty()) first = sums;
    EXPECT_EQ(sums, first);
    const auto lengths = norms<T>({comm, pool}, in_columns(own_y, rows, cols));
    for (std::size_t c = 0; c < usize(cols); ++c)
      EXPECT_EQ(lengths[c], std::sqrt(std::real(sums[c + usize(cols)])));
  }
}

// In any row of any rank and thread.
TYPED_TEST(InnerProductsTest, LargestEntriesLoseNoNan) {
  using T = TypeParam;
  const mpi::Communicator comm(MPI_COMM_WORLD);
  ThreadPool pool(3);
  constexpr Index rows = 200;
  for (const Index bad : {0, 17, 64, 150, rows - 1}) {
    std::vector<T> v(usize(rows) * 2, T(1));
    v[usize(bad)] = T(-3 - comm.rank());
    if (comm.rank() == comm.size() - 1) v[usize(rows + bad)] = T(std::nan(""));
    const auto largest = max_norms<T>({comm, pool}, in_columns(v, rows, 2));
    EXPECT_EQ(largest[0], 2 + comm.size());
    EXPECT_EQ(largest[1], HUGE_VAL);
    EXPECT_TRUE(std::isnan(norms<T>({comm, pool}, in_columns(v, rows, 2))[1]));
  }
}

// More than go into one message.
TEST(Reductions, OfAnyLength) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  std::vector<double> sums(5000), maxima(5000);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = maxima[i] = double(i) + comm.rank();
  comm.sum(sums);
  comm.max(maxima);
  const Index ranks = comm.size();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], ranks * double(i) + ranks * (ranks - 1) / 2);
    ASSERT_EQ(maxima[i], double(i) + ranks - 1);
  }
}

}  // namespace
}  // namespace trisweep::krylov
