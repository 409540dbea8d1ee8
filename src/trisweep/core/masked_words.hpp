#pragma once
// Words masked by numbers that follow one another, and their sum: of messages that show by themselves when
// all of them has come (mpi/checked_message.hpp).

#include <cstddef>
#include <cstdint>

#include "trisweep/core/instruction_set.hpp"

namespace trisweep::masking {

// What a word adds to a sum. A product, so that bytes that differ do not cancel because they are at the same
// place of two words.
[[gnu::always_inline]] inline std::uint64_t summand(std::uint64_t word) {
  return (word & 0xffffffffU) * (word >> 32) + word;
}

// to[i] = from[i] ^ (mask + i) for `size` words, where those of the caller may lie on any byte. Returns the
// sum of what is in `to` then.
std::uint64_t mask_words(const void* from, std::size_t size, std::uint64_t mask, std::uint64_t* to);
void unmask_words(const std::uint64_t* from, std::size_t size, std::uint64_t mask, void* to);
std::uint64_t sum_words(const std::uint64_t* words, std::size_t size);

#define TRISWEEP_DECLARE(isa)                                                                    \
  namespace isa {                                                                                \
  std::uint64_t mask(const void* from, std::size_t size, std::uint64_t mask, std::uint64_t* to); \
  void unmask(const std::uint64_t* from, std::size_t size, std::uint64_t mask, void* to);        \
  std::uint64_t sum(const std::uint64_t* words, std::size_t size);                               \
  }
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::masking
