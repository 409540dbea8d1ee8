#include "trisweep/transport/two_sided.hpp"

#include <gtest/gtest.h>

namespace trisweep::transport {
namespace {

// Each rank sends to the next one in every phase of every solve, and the fast ones run ahead: a message must
// never be taken for one of another phase or solve.
TEST(TwoSided, KeepsPhasesAndSolvesApart) {
  constexpr Index phases = 3;
  TwoSided transport(MPI_COMM_WORLD, phases, 100);
  transport.reserve(1);
  const Communicator comm(MPI_COMM_WORLD);
  const Index next = (comm.rank() + 1) % comm.size();
  for (int solve = 0; solve < 50; ++solve) {
    for (Index phase = 0; phase < phases; ++phase) {
      transport.open_phase(phase);
      const int sent = 100 * solve + phase;
      transport.send(next, phase + 5, MessageKind::reduction, &sent, sizeof sent);
      Arrival arrival = transport.wait();
      int received = -1;
      transport.receive(arrival, &received, sizeof received);
      EXPECT_EQ(received, sent);
      EXPECT_EQ(arrival.supernode, phase + 5);
      EXPECT_EQ(arrival.kind, MessageKind::reduction);
      transport.close_phase();
    }
    transport.close_solve();
  }
}

TEST(TwoSided, NamesMessagesOfAnUnexpectedSize) {
  TwoSided transport(MPI_COMM_SELF, 1, 10);
  transport.reserve(1);
  transport.open_phase(0);
  const double value = 1;
  transport.send(0, 4, MessageKind::broadcast, &value, sizeof value);
  Arrival arrival = transport.wait();
  double received = 0;
  EXPECT_THROW(transport.receive(arrival, &received, 2 * sizeof received), Error);
  transport.receive(arrival, &received, sizeof received);  // so that it does not stay behind
  transport.close_phase();
}

TEST(TwoSided, PollsWithoutWaiting) {
  TwoSided transport(MPI_COMM_SELF, 1, 10);
  transport.open_phase(0);
  EXPECT_FALSE(transport.poll().has_value());
}

}  // namespace
}  // namespace trisweep::transport
