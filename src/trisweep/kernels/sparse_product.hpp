#pragma once
// The product of a sparse matrix with several vectors at once: what a residual costs. The matrix is read once
// for a whole bundle of vectors, whose entries of a row are neighbours.

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// `rows`: as many consecutive rows of a compressed-row matrix as are wanted, from the begin of the first.
template <Scalar T>
struct SparseRows {
  const Offset* row_ptr;  // of the rows and the end of the last: positions in col and value
  const Index* col;
  const T* value;
  Index rows;
  bool conjugate;  // use conj(value)
};

// product[i] = sum_j a(i, j) x[j] for one vector.
template <Scalar T>
void sparse_product(const SparseRows<T>& a, const T* x, T* product);

// The same for line_rows<T> vectors (kernels/line.hpp): x and product are row-major and line_rows<T> wide.
template <Scalar T>
void sparse_product_of_bundle(const SparseRows<T>& a, const T* x, T* product);

// What bounds the rounding errors of these, in their layout: product[i] = sum_j |a(i, j)| |x[j]|, with |z| =
// |re z| + |im z| as in LAPACK's error bounds; complex results are real.
template <Scalar T>
void sparse_magnitudes(const SparseRows<T>& a, const T* x, T* product);
template <Scalar T>
void sparse_magnitudes_of_bundle(const SparseRows<T>& a, const T* x, T* product);

}  // namespace trisweep::kernels
