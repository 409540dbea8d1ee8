// main() of the test programs that run alone.

#include <gtest/gtest.h>

#include "support/watchdog.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  trisweep::testing_support::Watchdog::install();
  return RUN_ALL_TESTS();
}
