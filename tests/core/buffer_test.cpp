#include "trisweep/core/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Buffer, DiscardsWholePagesAlone) {
  constexpr std::size_t size = 1 << 16, begin = 5000, end = 60000;
  Buffer<char> a(size, "test data");
  std::fill_n(a.data(), size, 'x');
  discard_pages(a.data() + begin, end - begin);
  const auto is_kept = [&](std::size_t from, std::size_t to) {
    return std::all_of(a.data() + from, a.data() + to, [](char c) { return c == 'x'; });
  };
  EXPECT_TRUE(is_kept(0, begin));
  EXPECT_TRUE(is_kept(end, size));
  EXPECT_FALSE(is_kept(begin, end));
  discard_pages(a.data() + 100, 10);  // less than a page
  EXPECT_TRUE(is_kept(0, begin));
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
