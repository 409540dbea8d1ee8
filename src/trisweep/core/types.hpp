#pragma once
// Index and scalar types shared by every stage.

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace trisweep {

using Index = std::int32_t;   // a row, a column, a supernode, a rank
using Offset = std::int64_t;  // a position in storage; a number of nonzeros

template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>>;

template <class T>
struct RealOfImpl {
  using type = T;
};
template <class R>
struct RealOfImpl<std::complex<R>> {
  using type = R;
};
template <class T>
using RealOf = typename RealOfImpl<T>::type;

template <class T>
inline constexpr bool is_complex = !std::same_as<T, RealOf<T>>;

// T in single precision; T itself in a build for double precision only.
#ifdef TRISWEEP_DOUBLE_ONLY
template <class T>
using Single = T;
#else
template <class T>
using Single = std::conditional_t<is_complex<T>, std::complex<float>, float>;
#endif

// The complex conjugate, of the same type (std::conj of a real number is complex).
template <Scalar T>
inline T conjugate(T value) {
  if constexpr (is_complex<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

// |unit value|^2, in double precision: the square of a float may leave the range of float.
template <Scalar T>
inline double squared_modulus(T value, double unit = 1) {
  if constexpr (is_complex<T>) {
    return std::norm(unit * std::complex<double>(value));
  } else {
    return unit * double(value) * (unit * double(value));
  }
}

// The three systems one factorization solves: A x = b, A^T x = b, A^H x = b.
enum class Op : char { none = 'N', transpose = 'T', conjugate_transpose = 'H' };
// Whether `op` is one of these values: callers may cast any character.
constexpr bool is_op(Op op) {
  return op == Op::none || op == Op::transpose || op == Op::conjugate_transpose;
}

// Unchecked widening for subscripts: an Index that is known to be non-negative.
constexpr std::size_t usize(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace trisweep

// Explicit instantiation for every scalar type of the build: MACRO(T) for each. Matrices in memory and in
// files are real and complex in every build.
#ifdef TRISWEEP_DOUBLE_ONLY
#define TRISWEEP_FOR_EACH_MATRIX_SCALAR(MACRO) \
  MACRO(double)                                \
  MACRO(std::complex<double>)
#else
#define TRISWEEP_FOR_EACH_MATRIX_SCALAR(MACRO) \
  MACRO(float)                                 \
  MACRO(double)                                \
  MACRO(std::complex<float>)                   \
  MACRO(std::complex<double>)
#endif
#ifdef TRISWEEP_REAL_ONLY
#define TRISWEEP_FOR_EACH_SCALAR(MACRO) MACRO(double)
#else
#define TRISWEEP_FOR_EACH_SCALAR TRISWEEP_FOR_EACH_MATRIX_SCALAR
#endif
