#pragma once
// Product of a sparse matrix with vectors, and the norms of a residual: the cost of verifying a solution. The
// matrix is read once for many vectors, which are row-major. There is one vector, or as many as fill lines of
// line_rows<T> (line.hpp): padding behind the last vector is read, too, and its results are meaningless.

#include <array>
#include <limits>

#include "trisweep/kernels/line.hpp"

namespace trisweep::kernels {

// `rows` consecutive rows of a compressed-row matrix.
template <Scalar T>
struct SparseRows {
  const Offset* row_ptr;  // `rows` + 1 offsets into col and value
  const Index* col;
  const T* value;
  Index rows;
  bool conjugate;  // use conj(value)
};

// Operand and results of a product.
template <Scalar T>
struct RowProducts {
  Index width;  // 1, or whole lines
  const T* x;
  Offset ld;     // row stride of x (1 if `width` is)
  T* product;    // row stride `width`
  T* magnitude;  // row stride `width`; null: not computed
};

// product[i] = sum_j a(i, j) x[j], and a bound for its rounding errors: magnitude[i] = sum_j |a(i, j)|
// |x[j]|, with |z| = |re z| + |im z| as in LAPACK's error bounds; complex results are real. One pass over the
// entries.
template <Scalar T>
void sparse_product(const SparseRows<T>& a, const RowProducts<T>& vectors);

// Consecutive rows of solutions x of op(A) x = b.
template <Scalar T>
struct ResidualRows {
  Index rows;
  Index width;  // as above
  const T* x;
  Offset x_ld;
  const T* b;
  Offset b_ld;
  T* residual;               // in: op(A) x; out: b - op(A) x
  const T* magnitude;        // |op(A)| |x|
  const RealOf<T>* unknown;  // by row: factor of |x| in `scaled_x`
  const RealOf<T>* weight;   // by row: factor of |op(A)| |x| + |b| in `least`
};

// The largest values of each vector, by lane: for a single vector, row i is in lane i mod line_rows<T>.
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
  Lanes least = lowest();  // maximum of minus the weighted |op(A)| |x| + |b|
  Lanes spoilt{};          // NaN if any value is not finite
};

// Updates the maxima, one for each line of vectors, by these rows, with |z| = |re z| + |im z|.
template <Scalar T>
void measure_residual(const ResidualRows<T>& rows, ResidualMaxima<T>* maxima);

}  // namespace trisweep::kernels
