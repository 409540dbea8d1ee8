#include "trisweep/lowrank/lapack.hpp"

#include <algorithm>
#include <complex>

#include "trisweep/core/error.hpp"

// The Fortran symbols of one precision; gesvd of complex numbers has one more argument.
#define TRISWEEP_QR_SYMBOLS(P, T, Q)                                                \
  void P##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*); \
  void P##Q##gqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);

extern "C" {
TRISWEEP_QR_SYMBOLS(s, float, or)
TRISWEEP_QR_SYMBOLS(d, double, or)
TRISWEEP_QR_SYMBOLS(c, std::complex<float>, un)
TRISWEEP_QR_SYMBOLS(z, std::complex<double>, un)
void sgesvd_(const char*, const char*, const int*, const int*, float*, const int*, float*, float*, const int*,
             float*, const int*, float*, const int*, int*);
void dgesvd_(const char*, const char*, const int*, const int*, double*, const int*, double*, double*,
             const int*, double*, const int*, double*, const int*, int*);
void cgesvd_(const char*, const char*, const int*, const int*, std::complex<float>*, const int*, float*,
             std::complex<float>*, const int*, std::complex<float>*, const int*, std::complex<float>*,
             const int*, float*, int*);
void zgesvd_(const char*, const char*, const int*, const int*, std::complex<double>*, const int*, double*,
             std::complex<double>*, const int*, std::complex<double>*, const int*, std::complex<double>*,
             const int*, double*, int*);
}

namespace trisweep::lowrank {
namespace {

template <class T>
struct Lapack;

#define TRISWEEP_LAPACK_TABLE(P, T, Q)        \
  template <>                                 \
  struct Lapack<T> {                          \
    static constexpr auto geqrf = P##geqrf_;  \
    static constexpr auto orgqr = P##Q##gqr_; \
    static constexpr auto gesvd = P##gesvd_;  \
  };

TRISWEEP_LAPACK_TABLE(s, float, or)
TRISWEEP_LAPACK_TABLE(d, double, or)
TRISWEEP_LAPACK_TABLE(c, std::complex<float>, un)
TRISWEEP_LAPACK_TABLE(z, std::complex<double>, un)

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
