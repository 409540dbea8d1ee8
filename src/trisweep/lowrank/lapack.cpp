#include "trisweep/lowrank/lapack.hpp"

#include <algorithm>

#include "trisweep/core/error.hpp"
#include "trisweep/numeric/fortran.hpp"

// Factors are orthogonal (or) for real matrices; for complex ones unitary (un), and gesvd has one more
// argument.
#define TRISWEEP_QR_SYMBOLS(P, T, Q)                                                \
  void P##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*); \
  void P##Q##gqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);
#define TRISWEEP_SVD_SYMBOL(P, T, ...)                                                                       \
  void P##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, trisweep::RealOf<T>*, T*, \
                 const int*, T*, const int*, T*, const int* __VA_ARGS__, int*);
#define TRISWEEP_LAPACK_SYMBOLS_real(P, T) TRISWEEP_QR_SYMBOLS(P, T, or) TRISWEEP_SVD_SYMBOL(P, T)
#define TRISWEEP_LAPACK_SYMBOLS_complex(P, T) \
  TRISWEEP_QR_SYMBOLS(P, T, un) TRISWEEP_SVD_SYMBOL(P, T, , trisweep::RealOf<T>*)
#define TRISWEEP_LAPACK_SYMBOLS(P, T, kind) TRISWEEP_LAPACK_SYMBOLS_##kind(P, T)

extern "C" {
TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_LAPACK_SYMBOLS)
}

namespace trisweep::lowrank {
namespace {

template <class T>
struct Lapack;

#define TRISWEEP_ORTHOGONAL_real(P) P##orgqr_
#define TRISWEEP_ORTHOGONAL_complex(P) P##ungqr_
#define TRISWEEP_LAPACK_TABLE(P, T, kind)                        \
  template <>                                                    \
  struct Lapack<T> {                                             \
    static constexpr auto geqrf = P##geqrf_;                     \
    static constexpr auto orgqr = TRISWEEP_ORTHOGONAL_##kind(P); \
    static constexpr auto gesvd = P##gesvd_;                     \
  };
TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_LAPACK_TABLE)

}  // namespace

template <Scalar T>
void qr(numeric::View<T> a, numeric::View<T> r) {
  if (a.empty()) return;
  std::vector<T> tau(usize(a.cols)), work(usize(a.cols) * 32 + read_over);
  const int room = static_cast<int>(usize(a.cols) * 32);
  int info = 0;
  Lapack<T>::geqrf(&a.rows, &a.cols, a.data, &a.ld, tau.data(), work.data(), &room, &info);
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.cols; ++i) r(i, j) = i <= j ? a(i, j) : T{};
  }
  Lapack<T>::orgqr(&a.rows, &a.cols, &a.cols, a.data, &a.ld, tau.data(), work.data(), &room, &info);
}

template <Scalar T>
std::vector<RealOf<T>> svd(numeric::View<T> a, numeric::View<T> vh) {
  std::vector<RealOf<T>> values(usize(a.cols));
  if (a.empty()) return values;
  std::vector<T> work(usize(a.cols) * 32 + read_over);
  const int room = static_cast<int>(usize(a.cols) * 32);
  const char overwrite = 'O', all = 'S';
  int info = 0;
  T* const no_u = nullptr;
  if constexpr (is_complex<T>) {
    std::vector<RealOf<T>> more(usize(a.cols) * 5);
    Lapack<T>::gesvd(&overwrite, &all, &a.rows, &a.cols, a.data, &a.ld, values.data(), no_u, &a.ld, vh.data,
                     &vh.ld, work.data(), &room, more.data(), &info);
  } else {
    Lapack<T>::gesvd(&overwrite, &all, &a.rows, &a.cols, a.data, &a.ld, values.data(), no_u, &a.ld, vh.data,
                     &vh.ld, work.data(), &room, &info);
  }
  if (info != 0) throw Error(ErrorKind::numerical, "the singular values of a block cannot be computed");
  return values;
}

#define INSTANTIATE(T)                                      \
  template void qr(numeric::View<T> a, numeric::View<T> r); \
  template std::vector<RealOf<T>> svd(numeric::View<T> a, numeric::View<T> vh);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
