#pragma once
// Products in real arithmetic. A complex block is a real one with twice the rows (alternating real and
// imaginary parts), and a complex right-hand side is two real ones, so that one set of loops does both;
// comments at the additions tell how the parts are combined. Included only in sources that are compiled once
// for each instruction set.

#include "trisweep/core/vector.hpp"
#include "trisweep/kernels/products.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

template <Scalar T>
inline constexpr int parts = is_complex<T> ? 2 : 1;  // real numbers of one T

template <Scalar T>
TRISWEEP_INLINE RealOf<T>* reals(T* values) {
  return reinterpret_cast<RealOf<T>*>(values);
}
template <class S>
TRISWEEP_INLINE const RealOf<S>* reals(const S* values) {
  return reinterpret_cast<const RealOf<S>*>(values);
}

// Rows of one slab in a product, as real numbers stored as S.
template <class S>
struct SlabPart {
  const S* value;  // of the first row
  Index ld;        // real numbers between columns
  Index rows;
  Index width;
  Index first;  // relative to the panel's `begin`
};

// The slab part from panel row `row` to the end of its slab or of the panel's rows.
template <class S, Scalar T>
TRISWEEP_INLINE SlabPart<RealOf<S>> slab_part_at(const Panel<T>& panel, Index row) {
  const Index slab = row / slab_rows * slab_rows;
  const Index height = panel.height - slab < slab_rows ? panel.height - slab : slab_rows;
  const Index last = slab + height < panel.end ? slab + height : panel.end;
  const S* const value = panel.value.template as<S>() + usize(slab) * usize(panel.width) + usize(row - slab);
  return {reals(value), height * parts<T>, last - row, panel.width, row - panel.begin};
}

// Calls visit(slab part) for all slab parts, in memory order.
template <class S, Scalar T, class Visit>
TRISWEEP_INLINE void ascend(const Panel<T>& panel, const Visit& visit) {
  for (Index row = panel.begin; row < panel.end;) {
    const auto slab_part = slab_part_at<S>(panel, row);
    visit(slab_part);
    row += slab_part.rows;
  }
}

// The same in reverse order.
template <class S, Scalar T, class Visit>
TRISWEEP_INLINE void descend(const Panel<T>& panel, const Visit& visit) {
  for (Index end = panel.end; end > panel.begin;) {
    const Index slab = (end - 1) / slab_rows * slab_rows;
    const Index row = slab > panel.begin ? slab : panel.begin;
    visit(slab_part_at<S>(panel, row));
    end = row;
  }
}

// How a product P s changes the rows of the result.
enum class Rows {
  subtract,  // rows position[i] of the work vector -= P s
  assign     // rows i = P s
};

// The first of n real right-hand sides of panel row i.
template <Rows rows = Rows::subtract, Scalar T>
TRISWEEP_INLINE RealOf<T>* row_of(const Product<T>& p, Index i, Index n) {
  return reals(p.rows) + usize(rows == Rows::assign ? i : p.panel.position[i]) * usize(n);
}

template <Rows rows, class V>
TRISWEEP_INLINE V combined(const V& row, const V& sum) {
  return rows == Rows::assign ? sum : row - sum;
}

// 1 for products with the panel's values, -1 for those with their conjugates.
template <Scalar T>
TRISWEEP_INLINE RealOf<T> sign_of(const Panel<T>& panel) {
  return panel.conjugate ? RealOf<T>(-1) : RealOf<T>(1);
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
