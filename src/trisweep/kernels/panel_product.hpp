#pragma once
// The arithmetic of a sweep: products of a panel with pieces of the work vector. A work vector is row-major
// (rows x nrhs): the right-hand sides of a row are neighbours, so a slot is contiguous, a message needs no
// packing, and gather and scatter move whole rows.

#include "trisweep/core/slabs.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::kernels {

// Rows [begin, end) of a height x width block in slabs (core/slabs.hpp), for vectors of T. They correspond to
// work rows position[0 .. end - begin).
template <Scalar T>
struct Panel {
  Stored<T> value;
  const Index* position;
  Index height;
  Index width;
  Index begin;
  Index end;
  bool conjugate;  // use conj(value)
};

// The work vectors, and scratch of scratch_size() values.
template <Scalar T>
struct Work {
  T* row;
  T* scratch;
  Index nrhs;

  T* at(Index position) const { return row + usize(position) * usize(nrhs); }
};

// Largest number of rows, and of columns, of the tiles of a compressed panel.
inline constexpr Index tile_size = 128;

// Scratch, in values, for products with panels of at most `width` columns.
constexpr std::size_t scratch_size(Index width, Index nrhs) {
  return usize(4 * Offset{width} + 3 * tile_size) * usize(nrhs) + usize(tile_size) * usize(tile_size);
}

// work(position[i], :) -= sum_j panel(i, j) work(source + j, :).
template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work);

// work(target + j, :) -= sum_i panel(i, j) work(position[i], :).
template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work);

// work(at + i, :) = sum_j op(D)(i, j) work(at + j, :), where D = `inverse` is square, with positions at,
// at + 1 ... `inverse.conjugate` is ignored: op determines conjugation.
template <Scalar T>
void diagonal_product(Panel<T> inverse, Op op, Index at, const Work<T>& work);

}  // namespace trisweep::kernels
