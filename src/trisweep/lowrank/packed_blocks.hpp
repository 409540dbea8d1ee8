#pragma once
// The packed blocks, slabs and columns of a packed panel (number_format.hpp), as products walk through them.
// Included only by sources that are compiled once for each instruction set.

#include <algorithm>
#include <cstring>

#include "trisweep/lowrank/unpacked_numbers.hpp"

namespace trisweep::lowrank::TRISWEEP_ISA {
namespace {

template <Scalar T>
constexpr std::size_t parts = is_complex<T> ? 2 : 1;
constexpr int slab_groups = slab_reals / group;

// Some columns of a panel. Arrays are filled vector by vector, and so hold whole vectors.
template <Scalar T>
struct PackedBlock {
  std::size_t height;  // in real numbers
  Index first;
  Index cols;
  const std::byte* numbers;
  std::size_t group_bytes = 0;  // of one group of every column
  bool is_short;                // all columns hold short integers
  alignas(line) Bits bits[packed_block_cols];
  alignas(line) RealOf<T> step[packed_block_cols];

  // Bytes of the last group of every column, which has `rest` numbers.
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

// The bits of eight columns in the bytes of an integer; with fewer (`count`), the other bytes are least_bits.
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

// Reads the columns' own bits and steps at `at`.
template <Scalar T>
TRISWEEP_INLINE void read_own_columns(double unit, const std::byte* at, PackedBlock<T>& packed_block) {
  using R = RealOf<T>;
  const std::byte* const multiples = at + packed_block.cols;
  packed_block.is_short = true;
  for (Index first = 0; first < packed_block.cols; first += lanes) {
    const EightBits eight(at + first, packed_block.cols - first);
    std::memcpy(packed_block.bits + first, &eight, sizeof eight);
    packed_block.is_short &= eight.are_short();
    packed_block.group_bytes += eight.sum();
    Multiple multiple[lanes];
    std::memcpy(multiple, multiples + usize(first) * sizeof(Multiple), sizeof multiple);
    for (int i = 0; i < lanes; ++i)
      packed_block.step[first + i] = static_cast<R>(unit * value_of(multiple[i]));
  }
  packed_block.group_bytes -= least_bits * usize((lanes - packed_block.cols % lanes) % lanes);
  packed_block.numbers = multiples + usize(packed_block.cols) * sizeof(Multiple);
  if (packed_block.is_short) return;
  packed_block.group_bytes = 0;
  for (Index c = 0; c < packed_block.cols; ++c) {
    packed_block.group_bytes += bytes_of_group<R>(packed_block.bits[c]);
    if (packed_block.bits[c] == whole) packed_block.step[c] = 1;
  }
}

// Sets the bits and step that all columns have in common.
template <Scalar T>
TRISWEEP_INLINE void read_common_columns(const PanelHead& head, const std::byte* at,
                                         PackedBlock<T>& packed_block) {
  using R = RealOf<T>;
  for (Index first = 0; first < packed_block.cols; first += lanes) {
    std::memset(packed_block.bits + first, head.bits, lanes);
    store(packed_block.step + first, all_lanes(static_cast<R>(head.unit)));
  }
  packed_block.group_bytes = bytes_of_group<R>(head.bits) * usize(packed_block.cols);
  packed_block.is_short = are_short(head.bits);
  packed_block.numbers = at;
}

// Calls visit(packed block) for all columns of a panel.
template <Scalar T, class Visit>
void for_each_packed_block(const std::byte* panel, const Visit& visit) {
  PanelHead head;
  std::memcpy(&head, panel, sizeof head);
  const std::byte* at = panel + sizeof head;
  for (Index first = 0; first < head.cols; first += packed_block_cols) {
    PackedBlock<T> packed_block;
    packed_block.height = usize(head.rows) * parts<T>;
    packed_block.first = first;
    packed_block.cols = std::min(packed_block_cols, head.cols - first);
    head.own ? read_own_columns(head.unit, at, packed_block) : read_common_columns(head, at, packed_block);
    visit(packed_block);
    at = packed_block.end();
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
// Calls visit(slab) for the slabs that contain rows [begin, end) of a panel.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_slab(const PackedBlock<T>& packed_block, std::size_t begin, std::size_t end,
                                   const Visit& visit) {
  const std::size_t first = begin / slab_reals, last = (end + slab_reals - 1) / slab_reals;
  for (std::size_t slab = first; slab < last; ++slab) {
    const std::size_t row = (way == Way::forward ? slab : first + last - 1 - slab) * slab_reals;
    const std::size_t rows = std::min(slab_reals, packed_block.height - row);
    visit(Slab{.numbers = packed_block.numbers + row / group * packed_block.group_bytes,
               .groups = static_cast<int>(groups_of(rows)),
               .rest = numbers_at_end(rows),
               .first = row,
               .begin = std::max(row, begin),
               .end = std::min(row + slab_reals, end)});
  }
}
// Calls visit(c, at) for all columns in the direction `way`; visit returns the next `at`.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_column(const PackedBlock<T>& packed_block, const Slab& slab,
                                     const Visit& visit) {
  const std::byte* at = slab.numbers;
  if constexpr (way == Way::forward) {
    for (Index c = 0; c < packed_block.cols; ++c) at = visit(c, at);
  } else {
    at += usize(slab.groups - 1) * packed_block.group_bytes + packed_block.bytes_at_end(slab.rest);
    for (Index c = packed_block.cols; c-- > 0;) at = visit(c, at);
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
}  // namespace trisweep::lowrank::TRISWEEP_ISA
