// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include <cstring>

#include "trisweep/core/masked_words.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace trisweep::masking::TRISWEEP_ISA {
namespace {

// As many words as a register holds. The product of the words' lower halves is one instruction, which
// compilers expand to a product of whole words: three instructions or more.
#if defined(__AVX512F__)
using Words [[gnu::vector_size(64)]] = std::uint64_t;
[[gnu::always_inline]] inline Words product(Words a, Words b) {
  return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
}
#elif defined(__AVX2__)
using Words [[gnu::vector_size(32)]] = std::uint64_t;
[[gnu::always_inline]] inline Words product(Words a, Words b) {
  return (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
#elif defined(__SSE2__)
using Words [[gnu::vector_size(16)]] = std::uint64_t;
[[gnu::always_inline]] inline Words product(Words a, Words b) {
  return (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
}
#else
using Words [[gnu::vector_size(16)]] = std::uint64_t;
[[gnu::always_inline]] inline Words product(Words a, Words b) {
  return (a & 0xffffffffU) * (b & 0xffffffffU);
}
#endif
constexpr std::size_t lanes = sizeof(Words) / sizeof(std::uint64_t);

[[gnu::always_inline]] inline Words load(const void* words, std::size_t at) {
  Words loaded;
  std::memcpy(&loaded, static_cast<const std::byte*>(words) + at * sizeof(std::uint64_t), sizeof loaded);
  return loaded;
}
[[gnu::always_inline]] inline void store(Words stored, void* words, std::size_t at) {
  std::memcpy(static_cast<std::byte*>(words) + at * sizeof(std::uint64_t), &stored, sizeof stored);
}
[[gnu::always_inline]] inline std::uint64_t word(const void* words, std::size_t at) {
  std::uint64_t loaded;
  std::memcpy(&loaded, static_cast<const std::byte*>(words) + at * sizeof loaded, sizeof loaded);
  return loaded;
}

[[gnu::always_inline]] inline Words summands(Words words) {
  return product(words, words >> 32) + words;
}
[[gnu::always_inline]] inline std::uint64_t total(Words sums) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < lanes; ++i) all += sums[i];
  return all;
}

// mask, mask + 1, ...
[[gnu::always_inline]] inline Words numbers_from(std::uint64_t mask) {
  Words numbers{};
  for (std::size_t i = 0; i < lanes; ++i) numbers[i] = mask + i;
  return numbers;
}

}  // namespace

std::uint64_t mask(const void* from, std::size_t size, std::uint64_t mask, std::uint64_t* to) {
  Words sums{}, numbers = numbers_from(mask);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes, numbers += lanes) {
    const Words masked = load(from, i) ^ numbers;
    store(masked, to, i);
    sums += summands(masked);
  }
  std::uint64_t sum = total(sums);
  for (; i < size; ++i) {
    to[i] = word(from, i) ^ (mask + i);
    sum += summand(to[i]);
  }
  return sum;
}

void unmask(const std::uint64_t* from, std::size_t size, std::uint64_t mask, void* to) {
  Words numbers = numbers_from(mask);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes, numbers += lanes) store(load(from, i) ^ numbers, to, i);
  for (; i < size; ++i) {
    const std::uint64_t unmasked = from[i] ^ (mask + i);
    std::memcpy(static_cast<std::byte*>(to) + i * sizeof unmasked, &unmasked, sizeof unmasked);
  }
}

std::uint64_t sum(const std::uint64_t* words, std::size_t size) {
  Words sums{};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) sums += summands(load(words, i));
  std::uint64_t all = total(sums);
  for (; i < size; ++i) all += summand(words[i]);
  return all;
}

}  // namespace trisweep::masking::TRISWEEP_ISA
