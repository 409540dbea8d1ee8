#pragma once
// The content of PETSc binary files.

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace trisweep::matrix::test::petsc {

inline constexpr std::int64_t mat = 1211216;
inline constexpr std::int64_t vec = 1211214;

inline std::string big_endian(std::uint64_t word, int bytes) {
  std::string text;
  for (int k = bytes - 1; k >= 0; --k) text += static_cast<char>(word >> (8 * k) & 0xff);
  return text;
}

inline std::string integers(const std::vector<std::int64_t>& values, int bytes = 4) {
  std::string text;
  for (const auto value : values) text += big_endian(static_cast<std::uint64_t>(value), bytes);
  return text;
}

inline std::string doubles(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += big_endian(std::bit_cast<std::uint64_t>(value), 8);
  return text;
}

}  // namespace trisweep::matrix::test::petsc
