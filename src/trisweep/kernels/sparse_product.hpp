#pragma once
// The product of a sparse matrix with vectors, and what a residual is measured by: what judging an answer
// costs. The matrix is read once for a whole bundle of vectors (one, or line_rows<T> of line.hpp), whose
// entries of a row are neighbours: row-major, `width` wide.

#include <array>
#include <limits>

#include "trisweep/kernels/line.hpp"

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

// product[i] = sum_j a(i, j) x[j].
template <Scalar T>
void sparse_product(const SparseRows<T>& a, Index width, const T* x, T* product);

// The same, and what bounds its rounding errors: magnitude[i] = sum_j |a(i, j)| |x[j]|, with |z| = |re z| +
// |im z| as in LAPACK's error bounds; complex results are real. One pass over the entries.
template <Scalar T>
void sparse_product_and_magnitude(const SparseRows<T>& a, Index width, const T* x, T* product, T* magnitude);

// Consecutive rows of answers x to op(A) x = b.
template <Scalar T>
struct ResidualRows {
  Index rows;
  Index width;
  const T* x;
  const T* b;
  T* residual;               // op(A) x, which becomes b - op(A) x
  const T* magnitude;        // |op(A)| |x|
  const RealOf<T>* unknown;  // by row: what |x| is multiplied by in `scaled_x`
  const RealOf<T>* weight;   // by row: what |op(A)| |x| + |b| is multiplied by in `least`
};

// The largest values of each vector, by lane: of a single vector, row i is in lane i mod line_rows<T>.
template <Scalar T>
struct ResidualMaxima {
  using Lanes = std::array<RealOf<T>, usize(line_rows<T>)>;
  static constexpr Lanes lowest() {
    Lanes lanes{};
    lanes.fill(-std::numeric_limits<RealOf<T>>::max());
    return lanes;
  }

  Lanes quotient{};  // |b - op(A) x| / (|op(A)| |x| + |b|)
  Lanes x{};
  Lanes scaled_x{};
  Lanes residual{};
  Lanes b{};
  Lanes least = lowest();  // of minus the weighted |op(A)| |x| + |b|
  Lanes spoilt{};          // NaN where a value is not finite, whatever the others say
};

// Takes these rows into the maxima, with |z| = |re z| + |im z|.
template <Scalar T>
void measure_residual(const ResidualRows<T>& rows, ResidualMaxima<T>& maxima);

}  // namespace trisweep::kernels
