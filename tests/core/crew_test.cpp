#include "trisweep/core/crew.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace trisweep {
namespace {

TEST(CrewTest, CallsEveryThreadOnceInEveryRound) {
  Crew crew(3);
  std::array<int, 3> calls{};
  for (int round = 0; round < 100; ++round)
    crew.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  EXPECT_EQ(calls, (std::array{100, 100, 100}));
}

// Also after the others have gone to sleep.
TEST(CrewTest, WakesThreadsThatSleep) {
  Crew crew(2);
  std::atomic<int> calls = 0;
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    crew.run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 6);
}

TEST(CrewTest, RethrowsWhenAllCallsHaveEndedAndServesOn) {
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
