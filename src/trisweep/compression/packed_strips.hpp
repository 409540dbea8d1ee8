#pragma once
// The strips, slabs and columns of a packed panel (number_format.hpp), as products walk through them.
// Included only by what is compiled once for each instruction set.

#include <algorithm>
#include <cstring>

#include "trisweep/compression/widened_numbers.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

template <Scalar T>
constexpr std::size_t parts = is_complex<T> ? 2 : 1;
constexpr int slab_groups = slab_reals / group;

// Some columns of a panel. Arrays are filled vector by vector, and hold whole vectors.
template <Scalar T>
struct Strip {
  std::size_t height;  // in real numbers
  Index first;
  Index cols;
  const std::byte* numbers;
  std::size_t group_bytes = 0;  // of a group of every column
  bool is_short;                // integers of all columns
  alignas(line) Bits bits[strip_cols];
  alignas(line) RealOf<T> step[strip_cols];

  // Of a group of every column that has so many numbers.
  std::size_t bytes_at_end(std::size_t rest) const {
    if (rest == group) return group_bytes;
    std::size_t bytes = 0;
    for (Index c = 0; c < cols; ++c) bytes += bytes_of_group<RealOf<T>>(bits[c], rest);
    return bytes;
  }
  const std::byte* end() const {
    return numbers + (groups_of(height) - 1) * group_bytes + bytes_at_end(numbers_at_end(height));
  }
};

constexpr bool are_short(Bits bits) {
  return bits != whole && bits <= most_short_bits;
}

// The bits of eight columns, or (`count`) of fewer, in the bytes of an integer: the others are least_bits.
struct EightBits {
  static constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t bits;

  TRISWEEP_INLINE EightBits(const std::byte* at, Index count) {
    std::memcpy(&bits, at, sizeof bits);
    if (count < lanes) {
      const std::uint64_t mask = (std::uint64_t{1} << (8 * count)) - 1;
      bits = (bits & mask) | (ones * least_bits & ~mask);
    }
  }
  bool are_short() const {
    constexpr std::uint64_t signs = ones << 7;
    const std::uint64_t zero = (bits - ones) & ~bits, too_many = bits + ones * (127 - most_short_bits);
    return ((zero | too_many) & signs) == 0;
  }
  std::size_t sum() const {
    constexpr std::uint64_t bytes = 0x00ff00ff00ff00ff;
    return ((bits & bytes) + (bits >> 8 & bytes)) * (ones & bytes) >> 48;
  }
};

// The bits and steps at `at`.
template <Scalar T>
TRISWEEP_INLINE void read_own_columns(double unit, const std::byte* at, Strip<T>& strip) {
  using R = RealOf<T>;
  const std::byte* const multiples = at + strip.cols;
  strip.is_short = true;
  for (Index first = 0; first < strip.cols; first += lanes) {
    const EightBits eight(at + first, strip.cols - first);
    std::memcpy(strip.bits + first, &eight, sizeof eight);
    strip.is_short &= eight.are_short();
    strip.group_bytes += eight.sum();
    Multiple multiple[lanes];
    std::memcpy(multiple, multiples + usize(first) * sizeof(Multiple), sizeof multiple);
    for (int i = 0; i < lanes; ++i) strip.step[first + i] = static_cast<R>(unit * value_of(multiple[i]));
  }
  strip.group_bytes -= least_bits * usize((lanes - strip.cols % lanes) % lanes);
  strip.numbers = multiples + usize(strip.cols) * sizeof(Multiple);
  if (strip.is_short) return;
  strip.group_bytes = 0;
  for (Index c = 0; c < strip.cols; ++c) {
    strip.group_bytes += bytes_of_group<R>(strip.bits[c]);
    if (strip.bits[c] == whole) strip.step[c] = 1;
  }
}

// Those that all columns have.
template <Scalar T>
TRISWEEP_INLINE void read_common_columns(const PanelHead& head, const std::byte* at, Strip<T>& strip) {
  using R = RealOf<T>;
  for (Index first = 0; first < strip.cols; first += lanes) {
    std::memset(strip.bits + first, head.bits, lanes);
    store(strip.step + first, all_lanes(static_cast<R>(head.unit)));
  }
  strip.group_bytes = bytes_of_group<R>(head.bits) * usize(strip.cols);
  strip.is_short = are_short(head.bits);
  strip.numbers = at;
}

// Calls visit(strip) for all columns of a panel.
template <Scalar T, class Visit>
void for_each_strip(const std::byte* panel, const Visit& visit) {
  PanelHead head;
  std::memcpy(&head, panel, sizeof head);
  const std::byte* at = panel + sizeof head;
  for (Index first = 0; first < head.cols; first += strip_cols) {
    Strip<T> strip;
    strip.height = usize(head.rows) * parts<T>;
    strip.first = first;
    strip.cols = std::min(strip_cols, head.cols - first);
    head.own ? read_own_columns(head.unit, at, strip) : read_common_columns(head, at, strip);
    visit(strip);
    at = strip.end();
  }
}

// Real rows [begin, end) of a slab of `groups`, which begins with row `first`. The last group has `rest`
// rows.
struct Slab {
  const std::byte* numbers;
  int groups;
  std::size_t rest;
  std::size_t first, begin, end;
};
// Calls visit(slab) for the slabs in which rows [begin, end) of a panel are.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_slab(const Strip<T>& strip, std::size_t begin, std::size_t end,
                                   const Visit& visit) {
  const std::size_t first = begin / slab_reals, last = (end + slab_reals - 1) / slab_reals;
  for (std::size_t slab = first; slab < last; ++slab) {
    const std::size_t row = (way == Way::forward ? slab : first + last - 1 - slab) * slab_reals;
    const std::size_t rows = std::min(slab_reals, strip.height - row);
    visit(Slab{.numbers = strip.numbers + row / group * strip.group_bytes,
               .groups = static_cast<int>(groups_of(rows)),
               .rest = numbers_at_end(rows),
               .first = row,
               .begin = std::max(row, begin),
               .end = std::min(row + slab_reals, end)});
  }
}
// Calls visit(c, at) for all columns in the order of the way; `at` moves on by what it returns.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_column(const Strip<T>& strip, const Slab& slab, const Visit& visit) {
  const std::byte* at = slab.numbers;
  if constexpr (way == Way::forward) {
    for (Index c = 0; c < strip.cols; ++c) at = visit(c, at);
  } else {
    at += usize(slab.groups - 1) * strip.group_bytes + strip.bytes_at_end(slab.rest);
    for (Index c = strip.cols; c-- > 0;) at = visit(c, at);
  }
}

// Calls visit.operator()<groups, is_short>().
template <bool is_short, class Visit>
TRISWEEP_INLINE void with_groups(int groups, const Visit& visit) {
  static_assert(slab_groups == 4);
  switch (groups) {
    case 1:
      return visit.template operator()<1, is_short>();
    case 2:
      return visit.template operator()<2, is_short>();
    case 3:
      return visit.template operator()<3, is_short>();
    default:
      return visit.template operator()<4, is_short>();
  }
}
template <class Visit>
TRISWEEP_INLINE void with_groups(int groups, bool is_short, const Visit& visit) {
  is_short ? with_groups<true>(groups, visit) : with_groups<false>(groups, visit);
}

}  // namespace
}  // namespace trisweep::compression::TRISWEEP_ISA
