#pragma once
// Numbers in as few bits as the allowed error permits: integers of 2 to 48 bits times a step, or the number
// itself. Fixed point: all entries of a singular vector or a small block are of about one size, and an
// exponent in each would waste bits.
//
// Eight integers of b bits form a group of b bytes, the lowest bits first: for any b, a group begins at a
// byte boundary and becomes one vector.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trisweep/core/types.hpp"

namespace trisweep::lowrank {

using Bits = std::uint8_t;
inline constexpr Bits whole = 0;  // unpacked numbers
inline constexpr int least_bits = 2;
inline constexpr int most_bits = 48;
inline constexpr int group = 8;
inline constexpr int most_short_bits = 32;  // of integers of which a group fits half of the longest vector

constexpr std::size_t bytes_of_integers(Bits bits, std::size_t numbers) {
  return (numbers * bits + 7) / 8;
}
// Bytes of a group of a column; the last group may have fewer numbers.
template <class R>
constexpr std::size_t bytes_of_group(Bits bits, std::size_t numbers = group) {
  return bits == whole ? numbers * sizeof(R) : bytes_of_integers(bits, numbers);
}

constexpr double largest_integer(int bits) {
  return static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
}

// A panel in memory: its head, then its columns in packed blocks of packed_block_cols. If columns have their
// own bits and steps, a packed block begins with them, the steps as multiples of `unit`, a power of 2. Then
// follow the numbers in the order in which products read them: slab_reals of every column, the next of every
// column, and so on. Complex numbers are stored as two real ones. The last group of a column ends with its
// last number.
struct PanelHead {
  double unit;
  Index rows;
  Index cols;
  Bits bits;  // of all columns, unless they have their own
  bool own;
  std::uint8_t padding[6];
};
inline constexpr Index packed_block_cols = 128;
inline constexpr std::size_t slab_reals = 32;

constexpr std::size_t groups_of(std::size_t reals) {
  return (reals + group - 1) / group;
}
// Numbers in the last group.
constexpr std::size_t numbers_at_end(std::size_t reals) {
  return (reals + group - 1) % group + 1;
}
// Bytes that may be read behind the last group.
constexpr std::size_t read_behind(Bits bits) {
  return bits == whole ? 0 : bits <= most_short_bits ? 32 : 64;
}
// The same behind the steps of columns, which are read eight at a time.
inline constexpr std::size_t read_behind_columns = 16;

// Steps have few digits, so that a multiple of a power of 2 fits in the leading half of a float.
using Multiple = std::uint16_t;
inline double step_from(double least) {
  constexpr std::uint64_t rest = (std::uint64_t{1} << 45) - 1;  // the last 45 of 52 bits
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(least) + rest) & ~rest);
}
inline Multiple multiple_of(double step, double unit) {
  return static_cast<Multiple>(std::bit_cast<std::uint32_t>(static_cast<float>(step / unit)) >> 16);
}
constexpr double value_of(Multiple multiple) {
  return std::bit_cast<float>(std::uint32_t{multiple} << 16);
}

}  // namespace trisweep::lowrank
