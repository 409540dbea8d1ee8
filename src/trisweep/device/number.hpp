#pragma once
// Numbers in kernels: real ones as they are, complex ones as a pair, since device compilers have no
// std::complex. Both lie in memory as the library's scalars do.

#include "trisweep/core/types.hpp"
#include "trisweep/device/machine.hpp"

namespace trisweep::device {

template <class R>
struct Complex {
  R re{};
  R im{};

  TRISWEEP_DEVICE Complex& operator+=(const Complex& other) {
    re += other.re;
    im += other.im;
    return *this;
  }
  TRISWEEP_DEVICE Complex& operator-=(const Complex& other) {
    re -= other.re;
    im -= other.im;
    return *this;
  }
};

template <Scalar T>
struct NumberOfImpl {
  using type = T;
};
template <class R>
struct NumberOfImpl<std::complex<R>> {
  using type = Complex<R>;
};
template <Scalar T>
using NumberOf = typename NumberOfImpl<T>::type;

// sum += a b. `sign` is -1 for conj(a), 1 for a.
template <class R>
TRISWEEP_DEVICE inline void add_product(R& sum, R a, R b, R /*sign*/) {
  sum += a * b;
}
template <class R>
TRISWEEP_DEVICE inline void add_product(Complex<R>& sum, Complex<R> a, Complex<R> b, R sign) {
  const R im = sign * a.im;
  sum.re += a.re * b.re - im * b.im;
  sum.im += a.re * b.im + im * b.re;
}

template <class R>
TRISWEEP_DEVICE inline R negative(R a) {
  return -a;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> negative(Complex<R> a) {
  return {-a.re, -a.im};
}

}  // namespace trisweep::device
