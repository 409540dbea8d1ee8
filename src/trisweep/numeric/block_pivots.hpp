#pragma once
// The block diagonal matrix B of L B L^T and L B L^H, with blocks of order 1 and 2.

#include <span>

#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/kind.hpp"

namespace trisweep::numeric {

// B(k, k) is diagonal(k, k). B(k+1, k) is below[k], nonzero only in the first column of a block of order 2. B
// equals op(B).
template <Scalar T>
struct BlockPivots {
  View<T> diagonal;  // its lower triangle holds L, with 0 in place of B(k+1, k)
  std::span<const T> below;
  Op op;

  Index size() const { return diagonal.cols; }
  bool is_pair(Index k) const { return below[usize(k)] != T(0); }
  BlockPivots part(Index begin, Index end) const {
    return {diagonal.block(begin, begin, end - begin, end - begin),
            below.subspan(usize(begin), usize(end - begin)), op};
  }
  // Determinant of the block of order 2 that begins at k.
  T determinant(Index k) const {
    const T b = below[usize(k)];
    return diagonal(k, k) * diagonal(k + 1, k + 1) - b * mirrored(op, b);
  }
};

// X := X B.
template <Scalar T>
void multiply_by_pivots(View<T> x, const BlockPivots<T>& b);
// X := X B^-1.
template <Scalar T>
void divide_by_pivots(View<T> x, const BlockPivots<T>& b);

}  // namespace trisweep::numeric
