#include "trisweep/mpi/sparse_exchange.hpp"

#include <gtest/gtest.h>

namespace trisweep::mpi {
namespace {

// To the ranks at distances 0, 1, 2, 4, ... a list of as many entries, all of which name both ends.
std::vector<ListOfRank<Index>> lists_from(Index rank, Index ranks) {
  std::vector<ListOfRank<Index>> lists;
  for (Index distance = 0; distance < ranks; distance = distance == 0 ? 1 : 2 * distance) {
    const Index to = (rank + distance) % ranks;
    lists.push_back({to, std::vector<Index>(usize(distance), rank * ranks + to)});
  }
  return lists;
}

TEST(SparseExchange, EachListComesOnceInTheOrderOfRanks) {
  const Communicator comm(MPI_COMM_WORLD, {.bytes = 7});  // longer ones are of another type
  const Index ranks = comm.size();
  for (int again = 0; again < 20; ++again) {
    const auto received = exchange_lists(comm, lists_from(comm.rank(), ranks));
    std::vector<ListOfRank<Index>> expected;
    for (Index from = 0; from < ranks; ++from)
      for (auto& list : lists_from(from, ranks))
        if (list.rank == comm.rank()) expected.push_back({from, std::move(list.entry)});
    ASSERT_EQ(received.size(), expected.size());
    for (std::size_t i = 0; i < received.size(); ++i) {
      EXPECT_EQ(received[i].rank, expected[i].rank);
      EXPECT_EQ(received[i].entry, expected[i].entry);
    }
  }
}

TEST(SparseExchange, OfNobodyEnds) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_TRUE(exchange_lists(comm, std::vector<ListOfRank<double>>()).empty());
}

TEST(SparseExchange, EndsOnAllRanksWhenOneHasFailed) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  EXPECT_THROW(revoke_on_error(comm,
                               [&] {
                                 if (comm.rank() == 0) throw Error(ErrorKind::numerical, "no pivot");
                                 agree_on_error(comm, [] {});
                                 exchange_lists(comm, lists_from(comm.rank(), comm.size()));
                               }),
               Error);
}

}  // namespace
}  // namespace trisweep::mpi
