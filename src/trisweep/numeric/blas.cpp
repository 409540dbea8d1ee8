#include "trisweep/numeric/blas.hpp"

#include <algorithm>

#include "trisweep/numeric/fortran.hpp"

#define TRISWEEP_BLAS_SYMBOLS(P, T, kind)                                                             \
  void P##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,     \
                const int*, const T*, const int*, const T*, T*, const int*);                          \
  void P##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, \
                const T*, const int*, T*, const int*);                                                \
  void P##potrf_(const char*, const int*, T*, const int*, int*);

extern "C" {
TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_BLAS_SYMBOLS)
}

namespace trisweep::numeric {
namespace {

template <class T>
struct Blas;

#define TRISWEEP_BLAS_TABLE(P, T, kind)      \
  template <>                                \
  struct Blas<T> {                           \
    static constexpr auto gemm = P##gemm_;   \
    static constexpr auto trsm = P##trsm_;   \
    static constexpr auto potrf = P##potrf_; \
  };

TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_BLAS_TABLE)

char fortran(Op op) {
  return op == Op::conjugate_transpose ? 'C' : static_cast<char>(op);
}

}  // namespace

// subtract_product() for products so small that a call of the BLAS takes longer.
template <Scalar T>
void subtract_small_product(View<T> c, View<T> a, Op op, View<T> b, Target target) {
  const auto entry = [&](Index k, Index j) {
    return op == Op::none ? b(k, j) : op == Op::transpose ? b(j, k) : conjugate(b(j, k));
  };
  for (Index j = 0; j < c.cols; ++j) {
    T* const to = c.column(j);
    if (target == Target::overwrite) std::fill_n(to, c.rows, T(0));
    for (Index k = 0; k < a.cols; ++k) {
      const T factor = entry(k, j);
      const T* const from = a.column(k);
      for (Index i = 0; i < c.rows; ++i) to[i] -= from[i] * factor;
    }
  }
}

constexpr Offset smallest_call = 512;  // multiplications

template <Scalar T>
void subtract_product(View<T> c, View<T> a, Op op, View<T> b, Target target) {
  if (c.empty()) return;
  if (Offset{c.rows} * c.cols * a.cols < smallest_call) return subtract_small_product(c, a, op, b, target);
  const T minus_one(-1), beta(target == Target::accumulate ? 1 : 0);
  const char none = 'N', op_b = fortran(op);
  Blas<T>::gemm(&none, &op_b, &c.rows, &c.cols, &a.cols, &minus_one, a.data, &a.ld, b.data, &b.ld, &beta,
                c.data, &c.ld);
}

// Recursion by halves, down to squares so small that computing the upper triangle as well is cheaper than the
// BLAS's own routine.
template <Scalar T>
void subtract_lower_product(View<T> c, View<T> a, Op op, View<T> b, Target target) {
  constexpr Index small = 32;
  if (c.rows <= small) return subtract_product(c, a, op, b, target);
  const Index top = c.rows / 2, bottom = c.rows - top;
  const View<T> a1 = a.block(0, 0, top, a.cols), a2 = a.block(top, 0, bottom, a.cols);
  const View<T> b1 = b.block(0, 0, top, b.cols), b2 = b.block(top, 0, bottom, b.cols);
  subtract_lower_product(c.block(0, 0, top, top), a1, op, b1, target);
  subtract_product(c.block(top, 0, bottom, top), a2, op, b1, target);
  subtract_lower_product(c.block(top, top, bottom, bottom), a2, op, b2, target);
}

template <Scalar T>
void solve_unit_lower(View<T> l, View<T> b) {
  if (b.empty()) return;
  const T one(1);
  const char left = 'L', lower = 'L', none = 'N', unit = 'U';
  Blas<T>::trsm(&left, &lower, &none, &unit, &b.rows, &b.cols, &one, l.data, &l.ld, b.data, &b.ld);
}

template <Scalar T>
bool cholesky_lower(View<T> a) {
  const char lower = 'L';
  int info = 0;
  Blas<T>::potrf(&lower, &a.rows, a.data, &a.ld, &info);
  return info == 0;
}

#define TRISWEEP_INSTANTIATE(T)                                                   \
  template void subtract_product<T>(View<T>, View<T>, Op, View<T>, Target);       \
  template void subtract_lower_product<T>(View<T>, View<T>, Op, View<T>, Target); \
  template void solve_unit_lower<T>(View<T>, View<T>);                            \
  template bool cholesky_lower<T>(View<T>);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
