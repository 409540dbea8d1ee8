// Errors that one rank has alone, and what larger problems ask of MPI, by limits that make small ones large.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <chrono>
#include <numeric>
#include <thread>

#include "support/watchdog.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/mpi/two_sided.hpp"

namespace trisweep::mpi {
namespace {

// A fault state alone. Its communicator is nobody else's, then or later: failures are left there unreceived.
struct FailingRanks {
  MPI_Comm comm = MPI_COMM_NULL;
  std::shared_ptr<FaultState> state = std::make_shared<FaultState>();
  FaultState* operator->() const { return state.get(); }

  FailingRanks() {
    const Communicator world(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    state->bind(comm, world.rank(), world.size());
  }
  void fails() { state->revoke(Failure(ErrorKind::numerical, "no pivot here"), state); }
  bool hears() { return state->poll_faults(state); }
  void probe() const { MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE); }
};

TEST(FaultState, AnErrorOfOneRankEndsTheWaitsOfAllOthers) {
  for (int again = 0; again < 20; ++again) {  // no communicator is needed a second time
    const Communicator comm(MPI_COMM_WORLD);
    const Communicator own = comm.duplicate();
    const Index failing = again % comm.size();
    std::string message;
    try {
      revoke_on_error(own, [&] {
        if (comm.rank() == failing) throw Error(ErrorKind::numerical, "no pivot here");
        Watchdog watchdog(std::numeric_limits<double>::infinity(), &own);
        while (true) watchdog.backoff([] { return std::string("nothing"); });
      });
    } catch (const Error& e) {
      message = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::numerical);
    }
    EXPECT_EQ(message, "no pivot here");
    EXPECT_TRUE(comm.revoked());
    EXPECT_FALSE(own.may_communicate());
    EXPECT_THROW(revoke_on_error(comm, [] {}), Error);
  }
}

TEST(FaultState, AfterwardsTheErrorIsNamedWithOneRemedy) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto message = [&](const auto& work) -> std::string {
    try {
      revoke_on_error(comm, work);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([] { throw Error(ErrorKind::numerical, "no pivot here", "shift it"); }),
            "no pivot here\n  remedy: shift it");
  EXPECT_EQ(
      message([] {}),
      std::string("this object was revoked by an earlier error: no pivot here\n  remedy: make a new one") +
          (comm.size() > 1 ? " on every rank" : ""));
}

TEST(FaultState, WhatIsNoStandardExceptionReachesAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  const Index last = comm.size() - 1;
  const auto agree = [&] {
    agree_on_error(comm, [&] {
      if (comm.rank() == last) throw 42;
    });
  };
  try {
    agree();
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string_view(e.what()).find("no std::exception"), std::string_view::npos);
  } catch (int) {
    EXPECT_EQ(comm.rank(), last);
  }
}

// A rank that is about to agree with others on an outcome hears as well that one has left.
TEST(FaultState, AnErrorOfOneRankEndsACollectiveStep) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank has nobody to wait for";
  const auto step = [&] {
    revoke_on_error(comm, [&] {
      if (comm.rank() == 0) throw Error(ErrorKind::environment, "gone");
      agree_on_error(comm, [] {});
    });
  };
  EXPECT_THROW(step(), Error);
}

// A step that the failed rank has behind it ends in the same way on all, however late they are: also where a
// neighbour passes the error on, which does so behind the step.
TEST(FaultState, AnErrorAfterAStepIsNoneOfThatStep) {
  const Communicator world(MPI_COMM_WORLD);
  FailingRanks ranks;
  for (int before = 0; before < 3; ++before) ranks->step([] {});
  if (world.rank() == world.size() - 1) {
    ranks->step([] {});
    return ranks.fails();
  }
  ranks->step([&] {
    ranks.probe();
    EXPECT_FALSE(ranks.hears());
    EXPECT_FALSE(ranks->revoked());
  });
  EXPECT_TRUE(ranks.hears());
  EXPECT_STREQ(ranks->failure().message(), "no pivot here");
}

// And one that it has not, does not.
TEST(FaultState, AnErrorInAStepEndsIt) {
  const Communicator world(MPI_COMM_WORLD);
  FailingRanks ranks;
  if (world.rank() == world.size() - 1) return ranks.fails();
  ranks->step([&] {
    ranks.probe();
    EXPECT_TRUE(ranks.hears());
  });
}

// Also where all fail at once, as watchdogs do.
TEST(FaultState, AnErrorTakesALogarithmOfMessagesOfEachRank) {
  using Clock = std::chrono::steady_clock;
  const Communicator world(MPI_COMM_WORLD);
  FailingRanks ranks;
  ranks.fails();
  world.sum(0.0);  // all is sent, but may still be on its way
  int received = 0;
  for (const auto start = Clock::now(); Clock::now() - start < std::chrono::milliseconds(20);) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks.comm, &found, &status);
    if (found == 0) continue;
    Failure failure;
    MPI_Recv(&failure, sizeof failure, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, ranks.comm,
             MPI_STATUS_IGNORE);
    EXPECT_STREQ(failure.message(), "no pivot here");
    ++received;
  }
  const int logarithm = std::bit_width(static_cast<unsigned>(world.size())) - 1;
  EXPECT_GE(received, logarithm);
  EXPECT_LE(received, 2 * logarithm);
}

// A rank that is late to look holds up nobody else.
TEST(FaultState, AnErrorGoesAroundARankThatDoesNotLook) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() < 3) GTEST_SKIP() << "nobody is between two others";
  for (Index away = 1; away < world.size(); ++away) {
    FailingRanks ranks;
    if (world.rank() == 0) ranks.fails();
    while (world.rank() != away && !ranks.hears()) std::this_thread::yield();
    world.sum(0.0);  // the rank that was away waits for all others
    while (!ranks.hears()) std::this_thread::yield();
    EXPECT_STREQ(ranks->failure().message(), "no pivot here");
  }
}

// All agree: nothing is left behind, not even communicators, of which MPICH has some two thousand.
TEST(FaultState, AnErrorOfAllRanksLeavesNothingBehind) {
  const Index size = Communicator(MPI_COMM_WORLD).size();
  const int times = size > 4 ? 200 : 3000;  // many ranks take long for more, and leave no more behind
  for (int again = 0; again < times; ++again) {
    testing_support::show_life();
    const auto make = [] {
      const Communicator comm(MPI_COMM_WORLD);
      const Communicator own = comm.duplicate();
      agree_on_error(own, [&] {
        if (own.rank() == 0) throw Error(ErrorKind::input, "no file");
      });
    };
    ASSERT_THROW(make(), CollectiveError) << again;
  }
}

TEST(FaultState, TheWatchdogCoversVotesAndSums) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const bool vote : {true, false}) {
    const Communicator own(MPI_COMM_WORLD);
    own.watch(0.05);
    const auto step = [&] {
      revoke_on_error(own, [&] {
        if (own.rank() == 0) {  // does not come
          Watchdog watchdog(std::numeric_limits<double>::infinity(), &own);
          while (true) watchdog.backoff([] { return std::string(); });
        }
        vote ? agree_on_error(own, [] {}) : static_cast<void>(own.sum(1.0));
      });
    };
    try {
      step();
      ADD_FAILURE() << "rank " << own.rank() << " went on";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("no progress for 0.05 s"), std::string::npos) << error.what();
    }
  }
}

// A factorization takes as long as it takes.
TEST(FaultState, TheWatchdogDoesNotLimitLongWork) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  comm.watch(0);
  const LongWork long_work(comm);
  const Communicator part = comm.share();
  for (int i = 0; i < 20; ++i) {
    if (comm.rank() == i % comm.size())  // the others have waited several times by then
      for (int look = 0; look < 2000; ++look) part.progress();
    EXPECT_EQ(part.max(Offset{comm.rank()}), comm.size() - 1);
  }
}

// An endless wait in a destructor, were it not for what the failing rank says.
TEST(FaultState, TransportsOfAnAbandonedSolveAreDestroyedWithoutWaiting) {
  for (const NamedTransport& named : transports()) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto transport = named.make(comm, {.phase = std::vector<PhaseMessages>(1), .row_bytes = 8});
    Watchdog watchdog(std::numeric_limits<double>::infinity(), &comm);
    transport->close_solve(watchdog);
    const auto last_solve = [&] {
      revoke_on_error(comm, [&] {
        if (comm.rank() == comm.size() - 1) throw Error(ErrorKind::environment, "gone");
        transport->close_solve(watchdog);  // the others end it, and wait only when they are destroyed
      });
    };
    // A rank that still waits for the solve before hears of the failure there.
    try {
      last_solve();
      EXPECT_NE(comm.rank(), comm.size() - 1) << named.name;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "gone") << named.name;
    }
  }
}

TEST(Limits, LongMessagesAreCutWhereverMpiCountsBytes) {
  const Communicator comm(MPI_COMM_WORLD, {.bytes = 7});
  const Index ranks = comm.size(), next = (comm.rank() + 1) % ranks, last = (comm.rank() + ranks - 1) % ranks;
  constexpr std::size_t most = 40;
  std::vector<int> values(comm.rank() == 0 ? most : 0);
  std::iota(values.begin(), values.end(), 0);
  comm.broadcast(values);
  ASSERT_EQ(values.size(), most);
  EXPECT_EQ(values.back(), int(most) - 1);
  const auto lists = comm.gather(values);
  for (const auto& list : lists) EXPECT_EQ(list, values);

  for (const NamedTransport& named : transports()) {
    CommunicationPattern pattern{.phase = std::vector<PhaseMessages>(1), .row_bytes = 1};
    for (std::size_t bytes = 0; bytes < most; ++bytes) {
      pattern.phase[0].in.push_back({last, 0, Offset(bytes)});
      pattern.phase[0].out.push_back({next, 0, Offset(bytes)});
    }
    const auto transport = named.make(comm, pattern);
    Watchdog watchdog(60);
    for (int solve = 0; solve < 3; ++solve) {
      transport->open_phase(0);
      std::vector<char> sent(most), received(most);
      std::iota(sent.begin(), sent.end(), char(comm.rank()));
      for (std::size_t bytes = 0; bytes < most; ++bytes) transport->send(Index(bytes), sent.data(), bytes);
      for (std::size_t left = most; left > 0;) {
        auto arrival = transport->poll();
        if (!arrival) {
          watchdog.backoff([] { return std::string("messages"); });
          continue;
        }
        ASSERT_EQ(arrival->bytes, std::size_t(arrival->number)) << named.name;
        std::fill(received.begin(), received.end(), char(-1));
        transport->receive(*arrival, received.data(), arrival->bytes);
        for (std::size_t i = 0; i < most; ++i)
          ASSERT_EQ(received[i], i < arrival->bytes ? char(last + Index(i)) : char(-1)) << named.name;
        --left;
      }
      transport->close_phase(watchdog);
      transport->close_solve(watchdog);
    }
  }
}

// Two ranks, a billion supernodes: what matters is how many messages a pair has, not how they are named.
TEST(Limits, TagsAreNumberedByPair) {
  const Communicator comm(MPI_COMM_WORLD, {.tag = 5});  // three messages, for even and odd solves
  const Index me = comm.rank();
  const auto pattern = [&](Offset messages) {
    CommunicationPattern made{.phase = std::vector<PhaseMessages>(2),
                              .row_bytes = sizeof(std::array<Index, 3>)};
    for (Offset i = 0; i < messages; ++i) {
      auto& phase = made.phase[usize(i % 2)];
      for (Index r = 0; r < comm.size(); ++r) {
        phase.in.push_back({r, Offset{1} << (40 + i), 1});
        phase.out.push_back({r, Offset{1} << (40 + i), 1});
      }
    }
    return made;
  };
  EXPECT_THROW(TwoSided(comm, pattern(4)), CollectiveError);
  TwoSided transport(comm, pattern(3));
  Watchdog watchdog(60);
  for (int solve = 0; solve < 4; ++solve) {
    for (Index phase = 0; phase < 2; ++phase) {
      transport.open_phase(phase);
      const Index messages = (phase == 0 ? 2 : 1) * comm.size();
      std::vector<std::array<Index, 3>> sent;
      for (Index i = 0; i < messages; ++i) sent.push_back({me, phase, i / comm.size()});
      for (Index i = 0; i < messages; ++i) transport.send(i, &sent[usize(i)], sizeof sent[0]);
      for (Index left = messages; left > 0;) {
        if (auto arrival = transport.poll()) {
          std::array<Index, 3> received{};
          transport.receive(*arrival, &received, sizeof received);
          EXPECT_EQ(received, (std::array{arrival->from, phase, arrival->number / comm.size()}));
          EXPECT_EQ(arrival->number % comm.size(), arrival->from);
          --left;
        } else {
          watchdog.backoff([] { return std::string("messages"); });
        }
      }
      transport.close_phase(watchdog);
    }
    transport.close_solve(watchdog);
  }
}

// Of the same sizes: nothing but their names tells that one would be taken for the other.
TEST(Agreement, ListsInAnotherOrderAreRefused) {
  const Communicator comm(MPI_COMM_WORLD);
  const Index ranks = comm.size(), next = (comm.rank() + 1) % ranks, last = (comm.rank() + ranks - 1) % ranks;
  CommunicationPattern pattern{.phase = {{{{last, 7, 1}, {last, 9, 1}}, {{next, 7, 1}, {next, 9, 1}}}},
                               .row_bytes = 8};
  EXPECT_NO_THROW(require_matching(comm, pattern));
  if (comm.rank() == 0) std::swap(pattern.phase[0].in[0], pattern.phase[0].in[1]);
  EXPECT_THROW(require_matching(comm, pattern), CollectiveError);
}

// Behind all that is shown of an option's value: its hash tells.
TEST(Agreement, ValuesAreComparedAsAWhole) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  std::string rows(1000, '7');
  const std::array same{Setting("rows", rows)};
  EXPECT_NO_THROW(require_same(comm, same));
  if (comm.rank() == comm.size() - 1) rows.back() = '8';
  const std::array other{Setting("rows", rows)};
  EXPECT_THROW(require_same(comm, other), CollectiveError);
}

// As a rank would with another plan.
TEST(Transports, MessagesThatThePlanDoesNotHaveAreRefused) {
  for (const NamedTransport& named : transports()) {
    const Communicator comm(MPI_COMM_WORLD);
    const Index me = comm.rank();
    const CommunicationPattern pattern{.phase = {{{{me, 4, 2}}, {{me, 4, 2}}}}, .row_bytes = sizeof(double)};
    const auto transport = named.make(comm, pattern);
    const std::array<double, 8> values{};
    transport->open_phase(0);
    EXPECT_THROW(transport->send(1, values.data(), sizeof(double)), Error) << named.name;
    EXPECT_THROW(transport->send(-1, values.data(), sizeof(double)), Error) << named.name;
    if (named.name != "two-sided") {
      EXPECT_THROW(transport->send(0, values.data(), sizeof values), Error) << named.name;
    }
  }
}

}  // namespace
}  // namespace trisweep::mpi
