#include "trisweep/core/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

TEST(Buffer, IsCacheLineAlignedAndMoves) {
  Buffer<double> a(10, "test data");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
  a[9] = 2.0;
  Buffer<double> b = std::move(a);
  EXPECT_EQ(b[9], 2.0);
  EXPECT_EQ(b.size(), 10u);
  EXPECT_EQ(a.size(), 0u);  // NOLINT(bugprone-use-after-move): what it says it has it must have
  EXPECT_EQ(a.data(), nullptr);
  a = std::move(b);
  EXPECT_EQ(a.size(), 10u);
  EXPECT_EQ(b.size(), 0u);  // NOLINT(bugprone-use-after-move)
}

TEST(Buffer, EmptyHoldsNothing) {
  EXPECT_EQ(Buffer<float>(0, "nothing").data(), nullptr);
}

TEST(Buffer, NamesWhatDidNotFit) {
  try {
    Buffer<char> a(std::numeric_limits<std::size_t>::max() / 2, "the factors");
    FAIL() << "an impossible allocation succeeded";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_status(), 2);
    EXPECT_NE(std::string(e.what()).find("the factors"), std::string::npos);
  }
}

}  // namespace
}  // namespace trisweep
