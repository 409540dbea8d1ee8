#pragma once
// Operands of products of a panel with work rows. Panels are stored in slabs of 32 rows (core/slabs.hpp):
// what a block's lanes read side by side is one column of a slab.

#include "trisweep/backend/team.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/device/tile_product.hpp"

namespace trisweep::device {

// Largest number of right-hand sides whose sums a thread keeps in registers.
inline constexpr int widest_tile = tile_size;

// Vectors that a worker's products read and write.
template <class T>
struct WorkRows {
  T* row;
  const Index* position;  // work rows of the rows of all row blocks
  T* scratch;             // the worker's own
  Index nrhs;
};

// A row block of a panel of S, and work rows of T, of whose right-hand sides at most `columns` are multiplied
// at a time. (S is the type at the panel's beginning: of a value, or of the head of tiles.) Data that are the
// same for all threads stay in memory, since registers would hold a copy for each thread.
template <class S, class T, int columns = widest_tile>
struct Operands {
  const S* value;
  const RowBlock& row_block;
  const WorkRows<T>& work;
  bool conjugate;
  bool in_place = false;  // the product is stored at the beginning of the scratch

  TRISWEEP_DEVICE Index nrhs() const { return columns == 1 ? 1 : work.nrhs; }
  TRISWEEP_DEVICE T* at(Index work_row) const { return work.row + usize(work_row) * usize(nrhs()); }
  TRISWEEP_DEVICE T* row_side(Index i) const {
    return at(work.position[row_block.position + (i - row_block.row_begin)]);
  }
  TRISWEEP_DEVICE T* panel_side(Index j) const { return at(row_block.at + j); }
  TRISWEEP_DEVICE T* scratch() const {
    return work.scratch + (in_place ? usize(row_block.width) * usize(nrhs()) : 0);
  }
};

// The rows of one slab that belong to a row block.
template <class S>
struct Slab {
  const S* value;  // of row 0 of the slab
  Index ld;
  Index first;  // row of the panel
  Index begin;  // rows [begin, end) of the slab
  Index end;
};

template <class S, class T, int most>
TRISWEEP_DEVICE inline Slab<S> slab_of(const Operands<S, T, most>& o, Index number) {
  const RowBlock& s = o.row_block;
  const Index first = (s.row_begin / slab_rows + number) * slab_rows;
  const Index rows = s.height - first < slab_rows ? s.height - first : slab_rows;
  const Index last = s.row_end - first < rows ? s.row_end - first : rows;
  return {o.value + usize(first) * usize(s.width), rows, first, s.row_begin > first ? s.row_begin - first : 0,
          last};
}
TRISWEEP_DEVICE inline Index slabs_of(const RowBlock& s) {
  return (s.row_end + slab_rows - 1) / slab_rows - s.row_begin / slab_rows;
}

template <class S, class T, int most>
TRISWEEP_DEVICE inline RealPart<T> sign_of(const Operands<S, T, most>& o) {
  return o.conjugate ? RealPart<T>(-1) : RealPart<T>(1);
}

}  // namespace trisweep::device
