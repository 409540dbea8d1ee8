#pragma once
// Numbers that look random and follow from others alone, the same on every machine and rank.

#include <cstdint>

namespace trisweep {

// What SplitMix64 goes on by: 2^64 over the golden ratio.
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

// SplitMix64 (Steele, Lea, Flood 2014): neighbouring numbers differ in about half of their bits after it.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += golden;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// In [0, 1), from the leading bits.
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// In [1, 2), the entry of a row of a vector that is made up.
constexpr double made_up_entry(std::uint64_t row) {
  return 1 + unit_interval(split_mix(row * golden));
}

}  // namespace trisweep
