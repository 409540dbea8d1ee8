#include "trisweep/mpi/node_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace trisweep::mpi {
namespace {

// Parts of different sizes, one of them none.
std::size_t bytes_of(Index rank) {
  return 1000 * usize(rank);
}

// Pages are 4 KiB on x86-64, up to 64 on other processors.
class NodeMemoryOfPages : public testing::TestWithParam<Offset> {};
INSTANTIATE_TEST_SUITE_P(All, NodeMemoryOfPages, testing::Values(4 << 10, 16 << 10, 64 << 10));

TEST_P(NodeMemoryOfPages, EveryRankSeesWhatEveryOtherWrites) {
  const Communicator world(MPI_COMM_WORLD);
  const NodeMemory memory(world, bytes_of(world.rank()), GetParam());
  const auto zero = [](std::byte b) { return b == std::byte{0}; };
  std::byte* const mine = memory.part(world.rank());
  EXPECT_TRUE(std::all_of(mine, mine + bytes_of(world.rank()), zero));
  std::fill_n(mine, bytes_of(world.rank()), static_cast<std::byte>(world.rank()));
  MPI_Barrier(world.handle());
  for (Index r = 0; r < world.size(); ++r) {
    const auto of_r = [r](std::byte b) { return b == static_cast<std::byte>(r); };
    EXPECT_TRUE(std::all_of(memory.part(r), memory.part(r) + bytes_of(r), of_r)) << r;
  }
}

TEST_P(NodeMemoryOfPages, PartsAreOnPagesOfTheirOwn) {
  const Communicator comm(MPI_COMM_WORLD);
  const Communicator node = comm.of_node();
  const NodeMemory memory(node, 1 + usize(node.rank()), GetParam());
  for (Index rank = 0; rank < node.size(); ++rank) {
    EXPECT_EQ((memory.part(rank) - memory.part(0)) % GetParam(), 0);
    EXPECT_EQ(rank == 0 || memory.part(rank) > memory.part(rank - 1), true);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.part(0)) % usize(NodeMemory::page_of_machine()), 0);
}

TEST(NodeMemory, MoreThanThereIsIsRefusedOnEveryRank) {
  const Communicator world(MPI_COMM_WORLD);
  const std::size_t far_too_much = std::size_t{1} << 58;
  EXPECT_THROW(NodeMemory(world, world.rank() == 0 ? far_too_much : 0), CollectiveError);
}

}  // namespace
}  // namespace trisweep::mpi
