#include "trisweep/core/crew.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>

namespace trisweep {
namespace {

TEST(CrewThreads, CallsEveryThreadOnceInEveryRound) {
  Crew crew(3);
  std::array<int, 3> calls{};
  for (int round = 0; round < 100; ++round)
    crew.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  EXPECT_EQ(calls, (std::array{100, 100, 100}));
}

// Some milliseconds: more than a thread waits awake.
void work_long() {
  volatile int steps = 0;
  for (int i = 0; i < 10'000'000; ++i) steps = i;
}

// The others sleep while thread 0 works on, and thread 0 while they do.
TEST(CrewThreads, WakesThreadsThatSleep) {
  for (const int late : {0, 1}) {
    Crew crew(2);
    std::atomic<int> calls = 0;
    for (int round = 0; round < 10; ++round) {
      crew.run([&](int thread) {
        if (thread == late) work_long();
        ++calls;
      });
    }
    EXPECT_EQ(calls, 20);
  }
}

TEST(CrewThreads, RethrowsWhenAllCallsHaveEndedAndServesOn) {
  Crew crew(2);
  std::atomic<int> calls = 0;
  const auto failing = [&](int thread) {
    ++calls;
    if (thread == 1) throw std::runtime_error("thread 1");
  };
  EXPECT_THROW(crew.run(failing), std::runtime_error);
  EXPECT_EQ(calls, 2);
  crew.run([&](int) { ++calls; });
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace trisweep
