#pragma once
// The arithmetic of a sweep: products of a panel with pieces of the work vector. A work vector is row-major
// (rows x nrhs): the right-hand sides of a row are neighbours, so a slot is contiguous, a message needs no
// packing, and gather and scatter move whole rows.

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// A height x width column-major block with `ld` between columns, whose rows belong to work rows position[0 ..
// height).
template <Scalar T>
struct Panel {
  const T* value;
  const Index* position;
  Index height;
  Index width;
  Index ld;
  bool conjugate;  // use conj(value)
};

// The right-hand sides in flight, and room for the largest panel's rows: scratch holds height x nrhs numbers.
template <Scalar T>
struct Work {
  T* row;
  T* scratch;
  Index nrhs;

  T* at(Index position) const { return row + usize(position) * usize(nrhs); }
};

// work(position[i], :) -= sum_j panel(i, j) work(source + j, :).
template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work);

// work(target + j, :) -= sum_i panel(i, j) work(position[i], :).
template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work);

// work(at + i, :) = sum_j op(D)(i, j) work(at + j, :), D width x width.
template <Scalar T>
void diagonal_product(const T* inverse, Index width, Op op, Index at, const Work<T>& work);

}  // namespace trisweep::kernels
