#pragma once
// Ends a test program that hangs. Whatever a test does between two signs of life (its start, a solve) takes
// milliseconds: after most of a minute without one a rank waits for what will never come, and the program
// ends with the name of the test, on every rank that waits.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string_view>

namespace trisweep::testing_support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(TRISWEEP_TESTS_ARE_EMULATED)
inline constexpr unsigned seconds_without_life = 200;  // five times slower
#else
inline constexpr unsigned seconds_without_life = 40;
#endif

inline void show_life() {
  alarm(seconds_without_life);
}

class Watchdog : public testing::EmptyTestEventListener {
 public:
  // From here on, for every test.
  static void install() {
    std::signal(SIGALRM, end);
    testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);
    show_life();
  }

  void OnTestStart(const testing::TestInfo& test) override {
    std::snprintf(message_.data(), message_.size(), "\nno sign of life for %u s: %s.%s hangs\n",
                  seconds_without_life, test.test_suite_name(), test.name());
    show_life();
  }

 private:
  static void end(int) {
    const std::string_view text(message_.data());
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(3);
  }

  inline static std::array<char, 300> message_{"\nno sign of life before the first test\n"};
};

}  // namespace trisweep::testing_support
