#include "trisweep/mpi/slots.hpp"

#include <gtest/gtest.h>

#include <set>

#include "trisweep/core/cache_line.hpp"

namespace trisweep::mpi {
namespace {

// No line of any processor, of up to 256 bytes, is written for two messages of different senders.
TEST(Slots, OfMessagesAreOnLinesOfTheirOwn) {
  const Communicator comm(MPI_COMM_WORLD);
  CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(2), .row_bytes = 8};
  for (PhaseMessages& phase : pattern.phase) {
    for (Index peer = 0; peer < comm.size(); ++peer) {
      if (peer == comm.rank()) continue;
      phase.in.push_back({.peer = peer, .name = 0, .rows = 3});
      phase.out.push_back({.peer = peer, .name = 0, .rows = 3});
    }
  }
  constexpr std::size_t flag = 32;
  const Slots slots(comm, pattern, flag, 8);
  std::set<std::ptrdiff_t> lines{0};  // of what is reserved
  constexpr auto line = std::ptrdiff_t{256};
  static_assert(cache_line % line == 0);
  for (const Index phase : {0, 1}) {
    for (const Slot& slot : slots.incoming(phase)) {
      for (const std::ptrdiff_t shift : {std::ptrdiff_t{0}, slot.stride}) {
        const std::ptrdiff_t first = slot.flag + shift;
        const std::ptrdiff_t last = first + static_cast<std::ptrdiff_t>(flag + slot.room) - 1;
        for (std::ptrdiff_t at = first / line; at <= last / line; ++at) EXPECT_TRUE(lines.insert(at).second);
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::mpi
