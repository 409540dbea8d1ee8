#include "trisweep/core/memory.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

TEST(Memory, SomeIsAvailableAndNotEverything) {
  EXPECT_GT(available_memory(), std::size_t{1} << 20);
  EXPECT_LT(available_memory(), std::size_t{1} << 50);
}

TEST(Memory, RefusesTheImpossibleByName) {
  EXPECT_NO_THROW(require_memory(1, "a byte"));
  try {
    require_memory(std::numeric_limits<std::size_t>::max(), "the moon");
    FAIL() << "the moon fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(e.what()).find("the moon"), std::string::npos);
  }
}

}  // namespace
}  // namespace trisweep
