#pragma once
// How a dense block of the factors lies in memory: in slabs of `slab_rows` rows (fewer in the last one), each
// column-major without padding. A product that takes one slab after the other, and all columns of a slab,
// keeps the rows' sums in registers and still reads memory contiguously, forward or backward. Hardware reads
// that at full bandwidth: column-major panels, read a few rows of every column at a time, reach a third of
// it.

#include <algorithm>

#include "trisweep/core/types.hpp"

namespace trisweep {

inline constexpr Index slab_rows = 32;

// Position of entry (i, j) of a height x width block.
constexpr std::size_t slab_entry(Index height, Index width, Index i, Index j) {
  const Index row = i / slab_rows * slab_rows;
  const Index rows = std::min(slab_rows, height - row);
  return usize(row) * usize(width) + usize(j) * usize(rows) + usize(i - row);
}

// Calls visit(first row, rows, first entry) for every slab of a block.
template <class Visit>
void for_each_slab(Index height, Index width, Visit&& visit) {
  for (Index row = 0; row < height; row += slab_rows)
    visit(row, std::min(slab_rows, height - row), usize(row) * usize(width));
}

// Puts a column-major block (no padding between columns) into slabs, in place. `scratch` has room for the
// block.
template <class T>
void cut_into_slabs(T* block, Index height, Index width, T* scratch) {
  if (height <= slab_rows) return;
  std::copy_n(block, usize(height) * usize(width), scratch);
  for_each_slab(height, width, [&](Index row, Index rows, std::size_t at) {
    for (Index j = 0; j < width; ++j)
      std::copy_n(scratch + usize(j) * usize(height) + row, rows, block + at + usize(j) * usize(rows));
  });
}

}  // namespace trisweep
