#pragma once
// Numbers in as many bytes as their error may take: integers of 1 to 6 bytes times a step that they share,
// or the number itself. Fixed point: of a singular vector or a small block all entries are of one size, and
// an exponent in each would be lost bits.
//
// Integers of 3 and 6 bytes lie in two planes, the leading bytes (with the sign) first, so that all of them
// are read by whole vectors.

#include <cstddef>
#include <cstdint>

#include "trisweep/core/types.hpp"

namespace trisweep::compression {

enum class NumberFormat : std::uint8_t { fixed8, fixed16, fixed24, fixed32, fixed48, whole };

// Of one real number in precision R.
template <class R>
constexpr std::size_t bytes_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::fixed8:
      return 1;
    case NumberFormat::fixed16:
      return 2;
    case NumberFormat::fixed24:
      return 3;
    case NumberFormat::fixed32:
      return 4;
    case NumberFormat::fixed48:
      return 6;
    case NumberFormat::whole:
      break;
  }
  return sizeof(R);
}

// The largest integer of a format of fixed point.
constexpr double largest_integer(NumberFormat format) {
  return static_cast<double>((std::int64_t{1} << (8 * bytes_of<double>(format) - 1)) - 1);
}

// A panel in memory: its head, then its columns in runs of one format, each a RunHead, the steps of its
// columns as multiples of `unit` (floats; none where they have it in common), and the numbers, column by
// column; complex ones as real and imaginary part. Each run begins at a multiple of 8 bytes.
struct PanelHead {
  double unit;
  Index rows;
  Index cols;
};
struct RunHead {
  Index cols;
  NumberFormat format;
  bool common_step;
  std::uint16_t padding;
};

// Where a run's parts are.
struct RunLayout {
  std::size_t numbers;  // from its RunHead on
  std::size_t low;      // the second plane
  std::size_t end;
};
template <class R>
constexpr RunLayout layout_of(const RunHead& run, std::size_t reals) {
  constexpr std::size_t align = 8;
  const auto up = [](std::size_t at) { return (at + align - 1) / align * align; };
  std::size_t at = sizeof(RunHead) + (run.common_step ? 0 : usize(run.cols) * sizeof(float));
  if (run.format == NumberFormat::whole) at = up(at);
  const std::size_t leading = run.format == NumberFormat::fixed24   ? 2
                              : run.format == NumberFormat::fixed48 ? 4
                                                                    : bytes_of<R>(run.format);
  return {at, at + reals * leading, up(at + reals * bytes_of<R>(run.format))};
}

}  // namespace trisweep::compression
