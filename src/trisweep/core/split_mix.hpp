#pragma once
// Pseudorandom numbers computed from their argument alone: the same on every machine and rank.

#include <cstdint>

namespace trisweep {

// The increment of SplitMix64: 2^64 divided by the golden ratio.
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

// SplitMix64 (Steele, Lea, Flood 2014): it maps neighbouring numbers to values that differ in about half of
// their bits.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += golden;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Maps random bits to [0, 1), by the leading 53.
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// The entry, in [1, 2), of row `row` of a synthetic vector.
constexpr double made_up_entry(std::uint64_t row) {
  return 1 + unit_interval(split_mix(row * golden));
}

}  // namespace trisweep
