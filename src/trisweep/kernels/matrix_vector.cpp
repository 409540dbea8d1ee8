#include "trisweep/kernels/matrix_vector.hpp"

// Thread sanitizer's runtime is not up yet when the loader chooses between clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define TRISWEEP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRISWEEP_CLONES
#endif
// A clone compiles only what is inlined into it for its instruction set.
#define TRISWEEP_INLINE inline __attribute__((always_inline))

namespace trisweep::kernels {
namespace {

template <bool conjugated, Scalar T>
TRISWEEP_INLINE T maybe_conjugate(const T& v) {
  if constexpr (conjugated) {
    return conjugate(v);
  } else {
    return v;
  }
}

// y -= P s, four columns a pass so that y is read and written a quarter as often.
template <bool conjugated, Scalar T>
TRISWEEP_INLINE void subtract_plain(const Block<T>& b, const T* s, T* y) {
  const Index height = b.height, width = b.width;
  const T* p = b.value;
  Index j = 0;
  for (; j + 4 <= width; j += 4, p += 4 * usize(b.ld)) {
    const T *p0 = p, *p1 = p0 + b.ld, *p2 = p1 + b.ld, *p3 = p2 + b.ld;
    const T s0 = s[j], s1 = s[j + 1], s2 = s[j + 2], s3 = s[j + 3];
    for (Index i = 0; i < height; ++i) {
      y[i] -= maybe_conjugate<conjugated>(p0[i]) * s0 + maybe_conjugate<conjugated>(p1[i]) * s1 +
              maybe_conjugate<conjugated>(p2[i]) * s2 + maybe_conjugate<conjugated>(p3[i]) * s3;
    }
  }
  for (; j < width; ++j, p += b.ld) {
    for (Index i = 0; i < height; ++i) y[i] -= maybe_conjugate<conjugated>(p[i]) * s[j];
  }
}

// The inner product of one column with s, in `lanes` independent sums: one sum would be a chain of additions
// that the compiler may not reorder.
template <bool conjugated, Scalar T>
TRISWEEP_INLINE T inner_product(const T* p, Index height, const T* s) {
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
TRISWEEP_INLINE void subtract_transposed(const Block<T>& b, const T* s, T* y) {
  const T* p = b.value;
  for (Index j = 0; j < b.width; ++j, p += b.ld) y[j] -= inner_product<conjugated>(p, b.height, s);
}

}  // namespace

#define SPECIALIZE(T)                                                                      \
  template <>                                                                              \
  TRISWEEP_CLONES void subtract_panel<T>(const Block<T>& p, const T* s, T* y) {            \
    if (is_complex<T> && p.conjugate) {                                                    \
      subtract_plain<true>(p, s, y);                                                       \
    } else {                                                                               \
      subtract_plain<false>(p, s, y);                                                      \
    }                                                                                      \
  }                                                                                        \
  template <>                                                                              \
  TRISWEEP_CLONES void subtract_transposed_panel<T>(const Block<T>& p, const T* s, T* y) { \
    if (is_complex<T> && p.conjugate) {                                                    \
      subtract_transposed<true>(p, s, y);                                                  \
    } else {                                                                               \
      subtract_transposed<false>(p, s, y);                                                 \
    }                                                                                      \
  }
TRISWEEP_FOR_EACH_SCALAR(SPECIALIZE)

}  // namespace trisweep::kernels
