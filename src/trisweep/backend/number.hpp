#pragma once
// Scalars in kernels: real numbers as they are, complex numbers as a pair, since device compilers have no
// std::complex. Both have the memory layout of the library's scalars.

#include <cmath>

#include "trisweep/backend/machine.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::backend {

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
TRISWEEP_DEVICE inline R times(R factor, R number) {
  return factor * number;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> times(R factor, Complex<R> number) {
  return {factor * number.re, factor * number.im};
}

// Converts a panel's value to the type of the vectors.
template <class T, class S>
TRISWEEP_DEVICE inline T widened(S a) {
  return T(a);
}
template <class T, class R>
TRISWEEP_DEVICE inline T widened(Complex<R> a) {
  using Real = decltype(T::re);
  return {Real(a.re), Real(a.im)};
}

template <class T>
struct RealPartOf {
  using type = T;
};
template <class R>
struct RealPartOf<Complex<R>> {
  using type = R;
};
template <class T>
using RealPart = typename RealPartOf<T>::type;

// a scale[i]; a if `scale` is null.
template <class R>
TRISWEEP_DEVICE inline R scaled(R a, const R* scale, Index i) {
  return scale == nullptr ? a : a * scale[i];
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> scaled(Complex<R> a, const R* scale, Index i) {
  return {scaled(a.re, scale, i), scaled(a.im, scale, i)};
}

// |a|; for a complex number |re a| + |im a|.
template <class R>
TRISWEEP_DEVICE inline R magnitude(R a) {
  return a < 0 ? -a : a;
}
template <class R>
TRISWEEP_DEVICE inline R magnitude(Complex<R> a) {
  return magnitude(a.re) + magnitude(a.im);
}

template <class R>
TRISWEEP_DEVICE inline R real_part(R a) {
  return a;
}
template <class R>
TRISWEEP_DEVICE inline R real_part(Complex<R> a) {
  return a.re;
}

// a / b without intermediate overflow (Smith 1962).
template <class R>
TRISWEEP_DEVICE inline R quotient(R a, R b) {
  return a / b;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> quotient(Complex<R> a, Complex<R> b) {
  const R re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
  if (im > re) {  // multiplies both by -i; no recursion, for which a compiler reserves a stack
    a = {a.im, -a.re};
    b = {b.im, -b.re};
  }
  const R ratio = b.im / b.re, size = b.re + b.im * ratio;
  return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
}

template <Scope scope = Scope::device, class R>
TRISWEEP_DEVICE inline void atomic_add(Complex<R>* at, Complex<R> value) {
  atomic_add<scope>(&at->re, value.re);
  atomic_add<scope>(&at->im, value.im);
}

template <class R>
TRISWEEP_DEVICE inline R negative(R a) {
  return -a;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> negative(Complex<R> a) {
  return {-a.re, -a.im};
}

}  // namespace trisweep::backend
