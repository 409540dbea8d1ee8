// What every transport promises, on every row of the table of transports.

#include "trisweep/mpi/transport.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "trisweep/mpi/node_memory.hpp"

namespace trisweep::mpi {
namespace {

class TransportTest : public testing::TestWithParam<NamedTransport> {
 protected:
  Communicator world_{MPI_COMM_WORLD};
  Watchdog watchdog_{60};

  std::unique_ptr<Transport> make(const CommunicationPattern& pattern) const {
    return GetParam().make(world_, pattern);
  }

  Arrival wait(Transport& transport) {
    watchdog_.reset();
    while (true) {
      if (auto arrival = transport.poll()) return *arrival;
      watchdog_.backoff([] { return std::string("a message"); });
    }
  }
  Arrival wait(Transport& transport, Index number) {
    watchdog_.reset();
    while (true) {
      if (auto arrival = transport.poll(number)) return *arrival;
      watchdog_.backoff([] { return std::string("one message"); });
    }
  }
};

// Each rank sends to the next one in every phase of every solve, and the fast ones run ahead: a message must
// never be taken for one of another phase or solve.
TEST_P(TransportTest, KeepsPhasesAndSolvesApart) {
  constexpr Index phases = 3;
  const Index ranks = world_.size(), next = (world_.rank() + 1) % ranks;
  const Index previous = (world_.rank() + ranks - 1) % ranks;
  CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(phases), .row_bytes = sizeof(int)};
  for (Index p = 0; p < phases; ++p) pattern.phase[usize(p)] = {{{previous, p + 5, 1}}, {{next, p + 5, 1}}};
  const auto transport = make(pattern);
  for (int solve = 0; solve < 50; ++solve) {
    for (Index phase = 0; phase < phases; ++phase) {
      transport->open_phase(phase);
      const int sent = 100 * solve + phase;
      transport->send(0, &sent, sizeof sent);
      Arrival arrival = wait(*transport);
      int received = -1;
      transport->receive(arrival, &received, sizeof received);
      EXPECT_EQ(received, sent);
      EXPECT_EQ(arrival.from, previous);
      EXPECT_EQ(arrival.number, 0);
      transport->close_phase(watchdog_);
    }
    transport->close_solve(watchdog_);
  }
}

// Every rank sends messages of all sizes to every rank, itself included, in an order of its own. The two ends
// list them in different orders, but for those of a pair.
TEST_P(TransportTest, DeliversEveryMessageOnceWithItsContent) {
  const Index ranks = world_.size(), me = world_.rank();
  constexpr Index of_a_pair = 5;
  const auto rows = [](Index from, Index to, Offset name) { return (from + 2 * to + 3 * name) % 40; };
  CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(1), .row_bytes = sizeof(double)};
  auto& [in, out] = pattern.phase[0];
  for (Index i = 0; i < ranks * of_a_pair; ++i) {
    const Index from = i / of_a_pair, to = i % ranks;
    in.push_back({from, i % of_a_pair, rows(from, me, i % of_a_pair)});
    out.push_back({to, i / ranks, rows(me, to, i / ranks)});
  }
  const auto transport = make(pattern);
  std::mt19937 random(static_cast<unsigned>(me));
  for (int solve = 0; solve < 20; ++solve) {
    transport->open_phase(0);
    std::vector<Index> order(out.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<double>> sent;
    for (const Index number : order) {
      const Envelope& m = out[usize(number)];
      sent.emplace_back(usize(m.rows), 1000.0 * solve + 10 * me + double(m.name));
      transport->send(number, sent.back().data(), sent.back().size() * sizeof(double));
    }
    std::vector<char> seen(in.size());
    for (std::size_t left = in.size(); left > 0; --left) {
      Arrival arrival = wait(*transport);
      EXPECT_EQ(seen[usize(arrival.number)]++, 0);
      const Envelope& m = in[usize(arrival.number)];
      EXPECT_EQ(arrival.from, m.peer);
      std::vector<double> got(usize(m.rows));
      transport->receive(arrival, got.data(), got.size() * sizeof(double));
      for (const double v : got) EXPECT_EQ(v, 1000.0 * solve + 10 * m.peer + double(m.name));
    }
    EXPECT_FALSE(transport->poll().has_value());
    transport->close_phase(watchdog_);
    transport->close_solve(watchdog_);
  }
}

// The condition under which the place of a message may be written again: a rank that begins a solve knows
// that all others have ended the one before the last.
TEST_P(TransportTest, NobodyIsTwoSolvesAhead) {
  const NodeMemory memory(world_, sizeof(Offset));
  const auto ended = [&](Index rank) {
    return std::atomic_ref<Offset>(*reinterpret_cast<Offset*>(memory.part(rank)));
  };
  const auto transport = make({.phase = std::vector<PhaseMessages>(1), .row_bytes = 8});
  for (int solve = 0; solve < 100; ++solve) {
    for (Index r = 0; r < world_.size(); ++r) EXPECT_GE(ended(r).load(), solve - 1) << "rank " << r;
    for (Index turn = 0; turn < world_.rank(); ++turn) std::this_thread::yield();
    transport->open_phase(0);
    transport->close_phase(watchdog_);
    ended(world_.rank()).store(solve + 1);
    transport->close_solve(watchdog_);
  }
  MPI_Barrier(world_.handle());  // the memory is everybody's
}

TEST_P(TransportTest, FindsOneMessageAmongOthers) {
  const Index me = world_.rank();
  CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(1), .row_bytes = sizeof(int)};
  pattern.phase[0].in.assign(4, {me, 0, 1});
  pattern.phase[0].out.assign(4, {me, 0, 1});
  const auto transport = make(pattern);
  transport->open_phase(0);
  const std::vector<int> sent{10, 11, 12, 13};
  for (const Index number : {0, 1, 2, 3}) transport->send(number, &sent[usize(number)], sizeof(int));
  for (const Index number : {2, 0, 3, 1}) {
    Arrival arrival = wait(*transport, number);
    EXPECT_EQ(arrival.number, number);
    int received = 0;
    transport->receive(arrival, &received, sizeof received);
    EXPECT_EQ(received, 10 + number);
  }
  transport->close_phase(watchdog_);
  transport->close_solve(watchdog_);
}

TEST_P(TransportTest, NamesMessagesOfAnUnexpectedSize) {
  const Index me = world_.rank();
  const CommunicationPattern pattern{.phase = {{{{me, 4, 2}}, {{me, 4, 2}}}}, .row_bytes = sizeof(double)};
  const auto transport = make(pattern);
  transport->open_phase(0);
  const double value = 1;
  transport->send(0, &value, sizeof value);
  Arrival arrival = wait(*transport);
  std::array<double, 2> received{};
  EXPECT_THROW(transport->receive(arrival, received.data(), sizeof received), Error);
  transport->receive(arrival, received.data(), sizeof value);  // so that it does not stay behind
  EXPECT_EQ(received[0], value);
  transport->close_phase(watchdog_);
  transport->close_solve(watchdog_);
}

// Rank 1 does not call MPI until rank 0 is done with sending: neither has a way to wait without an end.
TEST_P(TransportTest, ATargetThatStandsStillHoldsItsSenderUpNoLongerThanTheWatchdog) {
  if (world_.size() == 1) GTEST_SKIP() << "one rank sends itself";
  constexpr Offset rows = 1 << 17;
  const NodeMemory memory(world_, sizeof(Offset));
  const std::atomic_ref<Offset> given_up(*reinterpret_cast<Offset*>(memory.part(0)));
  CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(1), .row_bytes = sizeof(double)};
  if (world_.rank() == 0) pattern.phase[0].out = {{1, 3, rows}};
  if (world_.rank() == 1) pattern.phase[0].in = {{0, 3, rows}};
  const auto transport = make(pattern);
  const std::vector<double> sent(rows, 1.5);
  transport->open_phase(0);
  if (world_.rank() == 0) {
    transport->send(0, sent.data(), rows * sizeof(double));
    Watchdog impatient(0.2);
    try {
      transport->close_phase(impatient);
    } catch (const Stalled&) {
    }
    given_up.store(1);
  } else if (world_.rank() == 1) {
    while (given_up.load() == 0) std::this_thread::yield();
    std::vector<double> got(rows);
    Arrival arrival = wait(*transport);
    transport->receive(arrival, got.data(), rows * sizeof(double));
    EXPECT_EQ(got, sent);
  }
  transport->close_phase(watchdog_);
  transport->close_solve(watchdog_);
}

TEST_P(TransportTest, PollsWithoutWaiting) {
  const auto transport = make({.phase = std::vector<PhaseMessages>(1), .row_bytes = 8});
  transport->open_phase(0);
  EXPECT_FALSE(transport->poll().has_value());
}

INSTANTIATE_TEST_SUITE_P(All, TransportTest, testing::ValuesIn(transports().begin(), transports().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Transports, AnUnknownNameIsRefusedWithTheNamesThereAre) {
  try {
    find_transport("pigeon");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("one-sided"), std::string::npos);
  }
}

TEST(Transports, RanksThatCanShareMemoryDo) {
  const Communicator world(MPI_COMM_WORLD);
  EXPECT_EQ(usual_transport(world).name, world.size() > 1 ? "shared" : "two-sided");
  const Communicator alone(MPI_COMM_SELF);
  EXPECT_EQ(usual_transport(alone).name, "two-sided");
}

TEST(Watchdog, EndsAWaitInWhichNothingHappens) {
  Watchdog watchdog(1e-3);
  watchdog.reset();
  EXPECT_THROW(while (true) watchdog.backoff([] { return std::string("the impossible"); }), Error);
}

}  // namespace
}  // namespace trisweep::mpi
