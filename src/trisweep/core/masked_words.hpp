#pragma once
// Words masked (XOR) by consecutive numbers, and their checksum: for messages whose content shows that they
// have arrived completely (mpi/checked_message.hpp).

#include <cstddef>
#include <cstdint>

#include "trisweep/core/instruction_set.hpp"

namespace trisweep::masking {

// The contribution of a word to the checksum. The product keeps differences at the same position of two words
// from cancelling.
[[gnu::always_inline]] inline std::uint64_t summand(std::uint64_t word) {
  return (word & 0xffffffffU) * (word >> 32) + word;
}

// to[i] = from[i] ^ (mask + i) for `size` words; the caller's own words (void*) need no alignment.
// mask_words() returns the checksum of `to`.
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
