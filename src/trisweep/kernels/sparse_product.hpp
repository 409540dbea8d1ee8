#pragma once
// The product of a sparse matrix with vectors, and what a residual is measured by: what judging an answer
// costs. The matrix is read once for many vectors, whose entries of a row are neighbours. Of these there is
// one, or as many as fill lines of line_rows<T> (line.hpp): what lies behind the last of them is read, too,
// and what comes of it means nothing.

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

// What is multiplied, and where to.
template <Scalar T>
struct RowProducts {
  Index width;  // 1, or whole lines
  const T* x;
  Offset ld;     // of x: between rows (1 where `width` is)
  T* product;    // `width` between rows
  T* magnitude;  // the same; null: not wanted
};

// product[i] = sum_j a(i, j) x[j], and what bounds its rounding errors: magnitude[i] = sum_j |a(i, j)|
// |x[j]|, with |z| = |re z| + |im z| as in LAPACK's error bounds; complex results are real. One pass over the
// entries.
template <Scalar T>
void sparse_product(const SparseRows<T>& a, const RowProducts<T>& vectors);

// Consecutive rows of answers x to op(A) x = b.
template <Scalar T>
struct ResidualRows {
  Index rows;
  Index width;  // as above
  const T* x;
  Offset x_ld;
  const T* b;
  Offset b_ld;
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

// Takes these rows into the maxima, of which there is one for each line, with |z| = |re z| + |im z|.
template <Scalar T>
void measure_residual(const ResidualRows<T>& rows, ResidualMaxima<T>* maxima);

}  // namespace trisweep::kernels
