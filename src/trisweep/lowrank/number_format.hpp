#pragma once
// Numbers in as many bits as their error may take: integers of 2 to 48 bits times a step, or the number
// itself. Fixed point: of a singular vector or a small block all entries are of one size, and an exponent in
// each would be lost bits.
//
// Eight integers of b bits are a group of b bytes, the lowest bits first: whatever b is, a group begins at a
// byte and becomes one vector.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trisweep/core/types.hpp"

namespace trisweep::lowrank {

using Bits = std::uint8_t;
inline constexpr Bits whole = 0;  // numbers as they are
inline constexpr int least_bits = 2;
inline constexpr int most_bits = 48;
inline constexpr int group = 8;
inline constexpr int most_short_bits = 32;  // of integers of which a group is half a vector of the longest

constexpr std::size_t bytes_of_integers(Bits bits, std::size_t numbers) {
  return (numbers * bits + 7) / 8;
}
// Of a group of a column, of which the last may have fewer numbers than others.
template <class R>
constexpr std::size_t bytes_of_group(Bits bits, std::size_t numbers = group) {
  return bits == whole ? numbers * sizeof(R) : bytes_of_integers(bits, numbers);
}

constexpr double largest_integer(int bits) {
  return static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
}

// A panel in memory: its head and its columns in row blocks of strip_cols. Where columns have bits and steps
// of their own, a row block begins with them, the steps as multiples of `unit`, a power of 2. Then the
// numbers, in the order in which products read them: slab_reals of every column, the next of every column,
// and so on. Complex numbers are two real ones. The last group of a column ends with its last number.
struct PanelHead {
  double unit;
  Index rows;
  Index cols;
  Bits bits;  // of all columns that have none of their own
  bool own;
  std::uint8_t padding[6];
};
inline constexpr Index packed_block_cols = 128;
inline constexpr std::size_t slab_reals = 32;

constexpr std::size_t groups_of(std::size_t reals) {
  return (reals + group - 1) / group;
}
// How many numbers the last group has.
constexpr std::size_t numbers_at_end(std::size_t reals) {
  return (reals + group - 1) % group + 1;
}
// What may be read behind the last group.
constexpr std::size_t read_behind(Bits bits) {
  return bits == whole ? 0 : bits <= most_short_bits ? 32 : 64;
}
// And behind the steps of columns: those of eight are read at a time.
inline constexpr std::size_t read_behind_columns = 16;

// Steps have few digits, so that as multiples of a power of 2 they are the leading half of a float.
using Multiple = std::uint16_t;
inline double step_from(double least) {
  constexpr std::uint64_t rest = (std::uint64_t{1} << 45) - 1;  // of 52 digits
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(least) + rest) & ~rest);
}
inline Multiple multiple_of(double step, double unit) {
  return static_cast<Multiple>(std::bit_cast<std::uint32_t>(static_cast<float>(step / unit)) >> 16);
}
constexpr double value_of(Multiple multiple) {
  return std::bit_cast<float>(std::uint32_t{multiple} << 16);
}

}  // namespace trisweep::lowrank
