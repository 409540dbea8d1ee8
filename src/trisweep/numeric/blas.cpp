#include "trisweep/numeric/blas.hpp"

#include <complex>

// The Fortran symbols of one precision. Real types have no Hermitian rank-k update; the symmetric one is it.
#define TRISWEEP_BLAS_SYMBOLS(P, T, R, RANK_K)                                                        \
  void P##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,     \
                const int*, const T*, const int*, const T*, T*, const int*);                          \
  void P##RANK_K##_(const char*, const char*, const int*, const int*, const R*, const T*, const int*, \
                    const R*, T*, const int*);                                                        \
  void P##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, \
                const T*, const int*, T*, const int*);                                                \
  void P##potrf_(const char*, const int*, T*, const int*, int*);                                      \
  void P##potri_(const char*, const int*, T*, const int*, int*);                                      \
  void P##trtri_(const char*, const char*, const int*, T*, const int*, int*);

extern "C" {
TRISWEEP_BLAS_SYMBOLS(s, float, float, syrk)
TRISWEEP_BLAS_SYMBOLS(d, double, double, syrk)
TRISWEEP_BLAS_SYMBOLS(c, std::complex<float>, float, herk)
TRISWEEP_BLAS_SYMBOLS(z, std::complex<double>, double, herk)
}

namespace trisweep::numeric {
namespace {

template <class T>
struct Blas;

#define TRISWEEP_BLAS_TABLE(P, T, RANK_K)        \
  template <>                                    \
  struct Blas<T> {                               \
    static constexpr auto gemm = P##gemm_;       \
    static constexpr auto rank_k = P##RANK_K##_; \
    static constexpr auto trsm = P##trsm_;       \
    static constexpr auto potrf = P##potrf_;     \
    static constexpr auto potri = P##potri_;     \
    static constexpr auto trtri = P##trtri_;     \
  };

TRISWEEP_BLAS_TABLE(s, float, syrk)
TRISWEEP_BLAS_TABLE(d, double, syrk)
TRISWEEP_BLAS_TABLE(c, std::complex<float>, herk)
TRISWEEP_BLAS_TABLE(z, std::complex<double>, herk)

char fortran(Op op) {
  return op == Op::conjugate_transpose ? 'C' : static_cast<char>(op);
}

}  // namespace

template <Scalar T>
void subtract_product(View<T> c, View<T> a, Op op, View<T> b, Target target) {
  if (c.empty()) return;
  const T minus_one(-1), beta(target == Target::accumulate ? 1 : 0);
  const char none = 'N', op_b = fortran(op);
  Blas<T>::gemm(&none, &op_b, &c.rows, &c.cols, &a.cols, &minus_one, a.data, &a.ld, b.data, &b.ld, &beta,
                c.data, &c.ld);
}

template <Scalar T>
void subtract_gram(View<T> c, View<T> a, Target target) {
  if (c.empty()) return;
  const RealOf<T> minus_one(-1), beta(target == Target::accumulate ? 1 : 0);
  const char lower = 'L', none = 'N';
  Blas<T>::rank_k(&lower, &none, &c.rows, &a.cols, &minus_one, a.data, &a.ld, &beta, c.data, &c.ld);
}

template <Scalar T>
void solve_right(View<T> b, View<T> r, Triangle triangle, Op op, Diagonal diagonal) {
  if (b.empty()) return;
  const T one(1);
  const char right = 'R', uplo = static_cast<char>(triangle), trans = fortran(op),
             diag = static_cast<char>(diagonal);
  Blas<T>::trsm(&right, &uplo, &trans, &diag, &b.rows, &b.cols, &one, r.data, &r.ld, b.data, &b.ld);
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

template <Scalar T>
void invert_from_cholesky(View<T> l) {
  const char lower = 'L';
  int info = 0;
  Blas<T>::potri(&lower, &l.rows, l.data, &l.ld, &info);
}

template <Scalar T>
void invert_upper(View<T> a) {
  const char upper = 'U', stored = 'N';
  int info = 0;
  Blas<T>::trtri(&upper, &stored, &a.rows, a.data, &a.ld, &info);
}

#define TRISWEEP_INSTANTIATE(T)                                             \
  template void subtract_product<T>(View<T>, View<T>, Op, View<T>, Target); \
  template void subtract_gram<T>(View<T>, View<T>, Target);                 \
  template void solve_right<T>(View<T>, View<T>, Triangle, Op, Diagonal);   \
  template void solve_unit_lower<T>(View<T>, View<T>);                      \
  template bool cholesky_lower<T>(View<T>);                                 \
  template void invert_from_cholesky<T>(View<T>);                           \
  template void invert_upper<T>(View<T>);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
