// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include <cstring>

#include "trisweep/core/masked_words.hpp"

namespace trisweep::masking::TRISWEEP_ISA {

std::uint64_t mask(const void* from, std::size_t size, std::uint64_t mask, std::uint64_t* to) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const std::byte*>(from) + i * sizeof word, sizeof word);
    to[i] = word ^ (mask + i);
    sum += summand(to[i]);
  }
  return sum;
}

void unmask(const std::uint64_t* from, std::size_t size, std::uint64_t mask, void* to) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t word = from[i] ^ (mask + i);
    std::memcpy(static_cast<std::byte*>(to) + i * sizeof word, &word, sizeof word);
  }
}

std::uint64_t sum(const std::uint64_t* words, std::size_t size) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < size; ++i) all += summand(words[i]);
  return all;
}

}  // namespace trisweep::masking::TRISWEEP_ISA
