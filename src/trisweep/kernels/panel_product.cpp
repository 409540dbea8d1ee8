#include "trisweep/kernels/panel_product.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/numeric/blas.hpp"

namespace trisweep::kernels {
namespace {

using numeric::subtract_product;
using numeric::Target;
using numeric::View;

// BLAS reads through pointers to mutable; the panels are not written.
template <Scalar T>
View<T> view(const T* value, Index rows, Index cols) {
  return {const_cast<T*>(value), rows, cols, rows};
}

template <Scalar T>
void conjugate_all(T* value, std::size_t count) {
  if constexpr (is_complex<T>)
    std::transform(value, value + count, value, [](const T& v) { return std::conj(v); });
}

template <bool conjugated, Scalar T>
T maybe_conjugate(const T& v) {
  if constexpr (conjugated) {
    return conjugate(v);
  } else {
    return v;
  }
}

// y -= P s, four columns a pass so that y is read and written a quarter as often.
template <bool conjugated, Scalar T>
void subtract_plain(const T* p, Index height, Index width, const T* s, T* y) {
  Index j = 0;
  for (; j + 4 <= width; j += 4, p += 4 * usize(height)) {
    const T *p0 = p, *p1 = p0 + height, *p2 = p1 + height, *p3 = p2 + height;
    const T s0 = s[j], s1 = s[j + 1], s2 = s[j + 2], s3 = s[j + 3];
    for (Index i = 0; i < height; ++i) {
      y[i] -= maybe_conjugate<conjugated>(p0[i]) * s0 + maybe_conjugate<conjugated>(p1[i]) * s1 +
              maybe_conjugate<conjugated>(p2[i]) * s2 + maybe_conjugate<conjugated>(p3[i]) * s3;
    }
  }
  for (; j < width; ++j, p += height) {
    for (Index i = 0; i < height; ++i) y[i] -= maybe_conjugate<conjugated>(p[i]) * s[j];
  }
}

// The inner product of one column with s, in `lanes` independent sums: one sum would be a chain of additions
// that the compiler may not reorder.
template <bool conjugated, Scalar T>
T inner_product(const T* p, Index height, const T* s) {
  constexpr Index lanes = 8;
  T sum[lanes] = {};
  Index i = 0;
  for (; i + lanes <= height; i += lanes) {
    for (Index l = 0; l < lanes; ++l) sum[l] += maybe_conjugate<conjugated>(p[i + l]) * s[i + l];
  }
  for (Index l = 0; i < height; ++i, ++l) sum[l] += maybe_conjugate<conjugated>(p[i]) * s[i];
  for (Index half = lanes / 2; half > 0; half /= 2) {
    for (Index l = 0; l < half; ++l) sum[l] += sum[l + half];
  }
  return sum[0];
}

// y -= P^T s.
template <bool conjugated, Scalar T>
void subtract_transposed(const T* p, Index height, Index width, const T* s, T* y) {
  for (Index j = 0; j < width; ++j, p += height) y[j] -= inner_product<conjugated>(p, height, s);
}

// Calls f with the conjugation as a constant.
template <class F>
void dispatch(bool conjugated, F&& f) {
  if (conjugated) {
    f(std::bool_constant<true>{});
  } else {
    f(std::bool_constant<false>{});
  }
}

// C -= A conj(B): BLAS conjugates only what it transposes, so A and C are conjugated around the plain
// product.
template <Scalar T>
void subtract_conjugate_product(View<T> c, View<T> a, View<T> b) {
  conjugate_all(a.data, usize(a.rows) * usize(a.cols));
  conjugate_all(c.data, usize(c.rows) * usize(c.cols));
  subtract_product(c, a, Op::none, b);
  conjugate_all(c.data, usize(c.rows) * usize(c.cols));
}

}  // namespace

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  if (nrhs == 1) {
    std::fill_n(work.scratch, panel.height, T{});
    dispatch(is_complex<T> && panel.conjugate, [&](auto conjugated) {
      subtract_plain<conjugated()>(panel.value, panel.height, panel.width, work.at(source), work.scratch);
    });
    for (Index i = 0; i < panel.height; ++i) work.row[panel.position[i]] += work.scratch[i];
    return;
  }
  // Row-major (rows x nrhs) is column-major (nrhs x rows): scratch^T = -source^T panel^T.
  const View<T> result{work.scratch, nrhs, panel.height, nrhs};
  subtract_product(result, View<T>{work.at(source), nrhs, panel.width, nrhs},
                   panel.conjugate ? Op::conjugate_transpose : Op::transpose,
                   view(panel.value, panel.height, panel.width), Target::overwrite);
  for (Index i = 0; i < panel.height; ++i) {
    T* row = work.at(panel.position[i]);
    const T* add = result.column(i);
    for (Index r = 0; r < nrhs; ++r) row[r] += add[r];
  }
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  if (nrhs == 1) {
    for (Index i = 0; i < panel.height; ++i) work.scratch[i] = work.row[panel.position[i]];
    dispatch(is_complex<T> && panel.conjugate, [&](auto conjugated) {
      subtract_transposed<conjugated()>(panel.value, panel.height, panel.width, work.scratch,
                                        work.at(target));
    });
    return;
  }
  for (Index i = 0; i < panel.height; ++i) {
    std::copy_n(work.at(panel.position[i]), nrhs, work.scratch + usize(i) * usize(nrhs));
  }
  const View<T> gathered{work.scratch, nrhs, panel.height, nrhs};
  const View<T> result{work.at(target), nrhs, panel.width, nrhs};
  const View<T> value = view(panel.value, panel.height, panel.width);
  if (is_complex<T> && panel.conjugate) {
    subtract_conjugate_product(result, gathered, value);
  } else {
    subtract_product(result, gathered, Op::none, value);
  }
}

template <Scalar T>
void diagonal_product(const T* inverse, Index width, Op op, Index at, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  const std::size_t count = usize(width) * usize(nrhs);
  T* const row = work.at(at);
  const bool conjugated = is_complex<T> && op == Op::conjugate_transpose;
  // All products subtract: row = 0 - op(D) (-row).
  std::transform(row, row + count, work.scratch, std::negate<>{});
  std::fill_n(row, count, T{});
  if (nrhs == 1) {
    if (op == Op::none) return subtract_plain<false>(inverse, width, width, work.scratch, row);
    return dispatch(conjugated,
                    [&](auto c) { subtract_transposed<c()>(inverse, width, width, work.scratch, row); });
  }
  const View<T> source{work.scratch, nrhs, width, nrhs}, result{row, nrhs, width, nrhs};
  const View<T> block = view(inverse, width, width);
  if (conjugated) return subtract_conjugate_product(result, source, block);
  subtract_product(result, source, op == Op::none ? Op::transpose : Op::none, block);
}

#define INSTANTIATE(T)                                                   \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&); \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);  \
  template void diagonal_product(const T*, Index, Op, Index, const Work<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels
