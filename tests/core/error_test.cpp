#include "trisweep/core/error.hpp"

#include <gtest/gtest.h>

namespace trisweep {
namespace {

TEST(Error, ExitStatusSeparatesNumericalFailureFromWrongUse) {
  EXPECT_EQ(Error(ErrorKind::numerical, "singular").exit_status(), 1);
  EXPECT_EQ(Error(ErrorKind::usage, "bad option").exit_status(), 2);
  EXPECT_EQ(InputError("a.mtx", 3, "bad entry").exit_status(), 2);
}

TEST(Error, NamesFileLineAndRemedy) {
  EXPECT_STREQ(InputError("a.mtx", 3, "bad entry", "fix it").what(), "a.mtx:3: bad entry\n  remedy: fix it");
  EXPECT_STREQ(InputError("a.mtx", 0, "empty").what(), "a.mtx: empty");
}

}  // namespace
}  // namespace trisweep
