#include "trisweep/krylov/block_rows.hpp"

#include <gtest/gtest.h>

#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::krylov {
namespace {

template <class T>
class BlockRowsTest : public testing::Test {};
TYPED_TEST_SUITE(BlockRowsTest, testing_support::Scalars);

// Uneven parts, the last rank's empty where there are several.
distribution::RowPartition uneven(Index rows, Index ranks) {
  distribution::RowPartition partition{{0}};
  for (Index r = 1; r <= ranks; ++r)
    partition.begin.push_back(r + 1 >= ranks ? rows
                                             : partition.begin.back() + (rows - partition.begin.back()) / 2);
  return partition;
}

TYPED_TEST(BlockRowsTest, AreTheMatrixAgainWhenTheyAreCollected) {
  using T = TypeParam;
  const auto a = testing_support::random_matrix<T>({.n = 37, .per_row = 3, .seed = 5});
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = uneven(37, comm.size());
  const auto mine = deal_out(comm, comm.rank() == 0 ? &a : nullptr, partition);
  ASSERT_EQ(mine.rows(), partition.count(comm.rank()));
  for (Index i = 0; i < mine.rows(); ++i) {
    const auto row = mine.pattern.row(i), whole = a.pattern.row(partition.first(comm.rank()) + i);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), whole.begin(), whole.end())) << "row " << i;
  }
  const auto again = collect(comm, mine, partition);
  if (comm.rank() != 0) {
    EXPECT_EQ(again.rows(), 0);
    return;
  }
  EXPECT_EQ(again.pattern.row_ptr, a.pattern.row_ptr);
  EXPECT_EQ(again.pattern.col, a.pattern.col);
  EXPECT_EQ(again.value, a.value);
}

TEST(BlockRows, OfNoMatrixAreAnErrorOnEveryRank) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(8, comm.size());
  EXPECT_THROW(deal_out<double>(comm, nullptr, partition), Error);
  const auto other = testing_support::random_matrix<double>({.n = 9, .per_row = 2, .seed = 1});
  EXPECT_THROW(deal_out(comm, comm.rank() == 0 ? &other : nullptr, partition), Error);
}

}  // namespace
}  // namespace trisweep::krylov
