#include "trisweep/core/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

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

TEST(Memory, CountsWhatIsOnlyMappedAgainstTheLimitOnAddresses) {
  constexpr std::size_t more = std::size_t{1} << 60;
  EXPECT_NO_THROW(require_memory(1, "a byte", more));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limited{.rlim_cur = std::size_t{1} << 50, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  rlimit kept{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &kept), 0);
  if (kept.rlim_cur != limited.rlim_cur) GTEST_SKIP() << "no limit on addresses is kept here (an emulator)";
  EXPECT_NO_THROW(require_memory(1, "a byte"));
  try {
    require_memory(1, "a byte", more, "use fewer threads");
    ADD_FAILURE() << "more addresses than the limit allows";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("(ulimit -v), or use fewer threads"), std::string::npos) << e.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

}  // namespace
}  // namespace trisweep
