#pragma once
// Unpacks the numbers of packed panels (number_format.hpp) in registers. Included only by sources that are
// compiled once for each instruction set.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <array>
#include <cstring>

#include "trisweep/lowrank/lanes.hpp"
#include "trisweep/lowrank/number_format.hpp"

namespace trisweep::lowrank::TRISWEEP_ISA {
namespace {

static_assert(group == lanes);

#if defined(__AVX512F__)
// Integers of up to 32 bits: the 16-bit words of each are shuffled to its lane, where it begins at some bit.
// There, with its sign bit inverted, it is a part of the 52-bit fraction of a double, from which exponent and
// sign (`added`) are subtracted; the result is too large by a power of 2, which `scale` removes. Longer
// integers are shifted to the left end and back.
struct ShuffleTable {
  alignas(64) std::array<std::uint16_t, 32> word;
  alignas(64) std::array<std::int64_t, group> mask;   // or how far to shift to the left
  alignas(64) std::array<std::int64_t, group> added;  // exponent and sign
  alignas(64) std::array<double, group> scale;
};
constexpr ShuffleTable make_shuffle_table(int bits) {
  ShuffleTable table{};
  table.scale.fill(1);
  if (bits == whole) return table;
  const bool is_short = bits <= most_short_bits;
  for (int i = 0; i < group; ++i) {
    for (int k = 0; k < 4; ++k)
      table.word[usize(4 * i + k)] = static_cast<std::uint16_t>(std::min(i * bits / 16 + k, 31));
    const int begin = i * bits % 16;
    constexpr std::int64_t exponent = 0x4330000000000000;  // of 2^52
    table.mask[usize(i)] = is_short ? ((std::int64_t{1} << bits) - 1) << begin : 64 - bits - begin;
    table.added[usize(i)] = exponent | std::int64_t{1} << (begin + bits - 1);
    if (is_short) table.scale[usize(i)] = 1 / static_cast<double>(std::int64_t{1} << begin);
  }
  return table;
}

// The scale of integers with the bits of `table`.
template <class R>
TRISWEEP_INLINE Lanes<R> scale_of(const ShuffleTable& table) {
  const __m512d scale = _mm512_load_pd(table.scale.data());
  if constexpr (std::is_same_v<R, double>) {
    return (Lanes<R>)scale;
  } else {
    return (Lanes<R>)_mm512_maskz_cvtpd_ps(0xff, scale);
  }
}

template <bool is_short>
class BitUnpacker {
 public:
  TRISWEEP_INLINE BitUnpacker(const ShuffleTable& table, int bits)
      : word_(_mm512_load_si512(table.word.data())),
        mask_(_mm512_load_si512(table.mask.data())),
        added_(is_short ? _mm512_load_si512(table.added.data()) : _mm512_set1_epi64(64 - bits)) {}

  template <class R>
  TRISWEEP_INLINE Lanes<R> operator()(const std::byte* at) const {
    __m512d numbers;
    if constexpr (is_short) {
      __m512i integers = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
      integers = _mm512_maskz_permutexvar_epi16(~__mmask32{0}, word_, integers);
      constexpr int and_then_xor = 0x6a;  // (integers & mask) ^ added
      integers = _mm512_ternarylogic_epi64(integers, mask_, added_, and_then_xor);
      numbers = _mm512_castsi512_pd(integers) - _mm512_castsi512_pd(added_);
    } else {
      __m512i integers = _mm512_maskz_permutexvar_epi16(~__mmask32{0}, word_, _mm512_loadu_si512(at));
      integers = _mm512_maskz_srav_epi64(0xff, _mm512_maskz_sllv_epi64(0xff, integers, mask_), added_);
      numbers = _mm512_maskz_cvtepi64_pd(0xff, integers);
    }
    if constexpr (std::is_same_v<R, double>) {
      return (Lanes<R>)numbers;
    } else {
      return (Lanes<R>)_mm512_maskz_cvtpd_ps(0xff, numbers);
    }
  }

 private:
  __m512i word_, mask_, added_;
};

#elif defined(__AVX2__)
// Two integers at a time, from the byte in which the first begins: the bytes of each are shuffled to its lane
// and shifted to its right end. As the last bits of 2^52 they form a double.
struct ShuffleTable {
  alignas(32) std::array<std::int8_t, 64> byte;
  alignas(32) std::array<std::int64_t, group> right;
  std::array<int, group / 2> begin;
};
constexpr ShuffleTable make_shuffle_table(int bits) {
  ShuffleTable table{};
  for (int i = 0; i < group; ++i) {
    const int first = i * bits / 8 - i / 2 * 2 * bits / 8;
    for (int k = 0; k < 8; ++k)
      table.byte[usize(8 * i + k)] = static_cast<std::int8_t>(std::min(first + k, 15));
    table.right[usize(i)] = i * bits % 8;
    if (i % 2 == 0) table.begin[usize(i / 2)] = i * bits / 8;
  }
  return table;
}

template <class R>
TRISWEEP_INLINE Lanes<R> scale_of(const ShuffleTable&) {
  return all_lanes<R>(1);
}

template <bool>
class BitUnpacker {
 public:
  TRISWEEP_INLINE BitUnpacker(const ShuffleTable& table, int bits)
      : table_(table), mask_(_mm256_set1_epi64x((std::int64_t{1} << bits) - 1)) {
    const std::int64_t sign = std::int64_t{1} << (bits - 1), exponent = 0x4330000000000000;
    sign_ = _mm256_set1_epi64x(exponent | sign);
    zero_ = _mm256_set1_pd(0x1p52 + static_cast<double>(sign));
  }

  template <class R>
  TRISWEEP_INLINE Lanes<R> operator()(const std::byte* at) const {
    const auto low = half(at, 0), high = half(at, 1);
    if constexpr (std::is_same_v<R, double>) {
      return __builtin_shufflevector((Vector<double, 32>)low, (Vector<double, 32>)high, 0, 1, 2, 3, 4, 5, 6,
                                     7);
    } else {
      return (Lanes<R>)_mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
    }
  }

 private:
  TRISWEEP_INLINE __m256d half(const std::byte* at, int h) const {
    const auto two = [&](int i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + table_.begin[usize(i)]));
    };
    const auto of = [&](const auto& table) {
      return _mm256_load_si256(reinterpret_cast<const __m256i*>(&table) + h);
    };
    __m256i integers = _mm256_set_m128i(two(2 * h + 1), two(2 * h));
    integers = _mm256_srlv_epi64(_mm256_shuffle_epi8(integers, of(table_.byte)), of(table_.right));
    integers = _mm256_xor_si256(_mm256_and_si256(integers, mask_), sign_);
    return _mm256_sub_pd(_mm256_castsi256_pd(integers), zero_);
  }

  const ShuffleTable& table_;
  __m256i mask_, sign_;
  __m256d zero_;
};

#else
struct ShuffleTable {};
constexpr ShuffleTable make_shuffle_table(int) {
  return {};
}

template <class R>
TRISWEEP_INLINE Lanes<R> scale_of(const ShuffleTable&) {
  return all_lanes<R>(1);
}

template <bool>
class BitUnpacker {
 public:
  BitUnpacker(const ShuffleTable&, int bits) : bits_(bits) {}

  template <class R>
  Lanes<R> operator()(const std::byte* at) const {
    Lanes<R> numbers;
    for (int i = 0; i < group; ++i) {
      std::int64_t bytes;
      std::memcpy(&bytes, at + i * bits_ / 8, sizeof bytes);
      const auto left = static_cast<std::uint64_t>(bytes) << (64 - bits_ - i * bits_ % 8);
      numbers[i] = static_cast<R>(static_cast<std::int64_t>(left) >> (64 - bits_));
    }
    return numbers;
  }

 private:
  int bits_;
};
#endif

constexpr std::array<ShuffleTable, most_bits + 1> cuts = [] {
  std::array<ShuffleTable, most_bits + 1> all{};
  all[whole] = make_shuffle_table(whole);
  for (int bits = least_bits; bits <= most_bits; ++bits) all[usize(bits)] = make_shuffle_table(bits);
  return all;
}();

// The distance of prefetches: the lines of a packed panel are used up faster than the hardware prefetches the
// next panel.
constexpr std::ptrdiff_t fetched_ahead = 8 << 10;
constexpr std::ptrdiff_t line = 64;
enum class Way { forward, backward };

// The powers of 2, by lane, that unpacked integers of `bits` bits have to be multiplied by.
template <class R>
TRISWEEP_INLINE Lanes<R> scale_of(Bits bits) {
  return scale_of<R>(cuts[bits]);
}

// Calls visit(g, integers / scale_of(bits)) for `count` groups of a column, each one vector. The last group
// has `rest` numbers. The groups begin at `at`, or (backward) end there; returns where they end, or begin.
// `is_short`: the integers are known to be short.
template <class R, int count, Way way, bool is_short, class Visit>
TRISWEEP_INLINE const std::byte* widen(const std::byte* at, Bits bits, std::size_t rest, const Visit& visit) {
  constexpr std::ptrdiff_t sign = way == Way::forward ? 1 : -1;
  __builtin_prefetch(at + sign * fetched_ahead, 0, 3);
  if constexpr (count > 2) __builtin_prefetch(at + sign * (fetched_ahead + line), 0, 3);
  const std::size_t bytes = is_short ? bits : bytes_of_group<R>(bits);
  const std::size_t all_bytes =
      usize(count - 1) * bytes + (is_short ? bytes_of_integers(bits, rest) : bytes_of_group<R>(bits, rest));
  if constexpr (way == Way::backward) at -= all_bytes;
  const auto visit_all = [&](const auto& numbers_at) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int g = 0; g < count; ++g) visit(g, numbers_at(at + usize(g) * bytes));
  };
  if (is_short || (bits != whole && bits <= most_short_bits)) {
    const BitUnpacker<true> unpacker(cuts[bits], bits);
    visit_all([&](const std::byte* from)
                  __attribute__((always_inline)) { return unpacker.template operator()<R>(from); });
  } else if (bits == whole) {
    const std::byte* const last = at + usize(count - 1) * bytes;
    R padded[lanes] = {};
    std::memcpy(padded, last, rest * sizeof(R));
    visit_all([&](const std::byte* from) __attribute__((always_inline)) {
      return load<Lanes<R>>(from == last ? reinterpret_cast<const std::byte*>(padded) : from);
    });
  } else {
    const BitUnpacker<false> unpacker(cuts[bits], bits);
    visit_all([&](const std::byte* from)
                  __attribute__((always_inline)) { return unpacker.template operator()<R>(from); });
  }
  return way == Way::forward ? at + all_bytes : at;
}

}  // namespace
}  // namespace trisweep::lowrank::TRISWEEP_ISA
