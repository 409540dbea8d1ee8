#include "trisweep/core/masked_words.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace trisweep::masking {
namespace {

TEST(MaskedWords, AreTheSameByEveryInstructionSet) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::uint64_t> from(size + 1), expected(size), to(size), back(size + 1);
    for (std::uint64_t& word : from) word = random();
    const std::uint64_t mask = ~std::uint64_t{0} - 5;  // the numbers wrap around
    const std::byte* const odd = reinterpret_cast<const std::byte*>(from.data()) + 3;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      std::memcpy(&expected[i], odd + 8 * i, 8);
      expected[i] ^= mask + i;
      sum += summand(expected[i]);
    }
    const auto check = [&](auto* mask_all, auto* sum_all, auto* unmask_all) {
      EXPECT_EQ(mask_all(odd, size, mask, to.data()), sum);
      EXPECT_EQ(to, expected);
      EXPECT_EQ(sum_all(to.data(), size), sum);
      unmask_all(to.data(), size, mask, reinterpret_cast<std::byte*>(back.data()) + 3);
      EXPECT_EQ(std::memcmp(reinterpret_cast<std::byte*>(back.data()) + 3, odd, 8 * size), 0);
    };
    check(mask_words, sum_words, unmask_words);
#define TRISWEEP_CHECK(isa) \
  if (instruction_set::isa()) check(isa::mask, isa::sum, isa::unmask);
    TRISWEEP_FOR_EACH_ISA(TRISWEEP_CHECK)
#undef TRISWEEP_CHECK
  }
}

}  // namespace
}  // namespace trisweep::masking
