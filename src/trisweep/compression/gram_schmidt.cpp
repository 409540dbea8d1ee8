// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/compression/gram_schmidt.hpp"

#include "trisweep/core/vector.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

// As many real numbers at a time, whatever the size of the processor's vectors: the order of sums depends on
// it.
constexpr int together = gram_schmidt_rows;
template <class R>
using Numbers = Vector<R, together* static_cast<int>(sizeof(R))>;

template <class R>
TRISWEEP_INLINE R total(const Numbers<R>& v) {
  return sum_of<R, together* static_cast<int>(sizeof(R))>(v);
}
// Real and imaginary parts in each other's places.
template <class R>
TRISWEEP_INLINE Numbers<R> exchanged(const Numbers<R>& v) {
  static_assert(together == 8);
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}
template <class R>
TRISWEEP_INLINE Numbers<R> in_turn(R even, R odd) {
  return Numbers<R>{even, odd, even, odd, even, odd, even, odd};
}

// q^H a of n real numbers.
template <Scalar T>
TRISWEEP_INLINE T inner_product(const RealOf<T>* q, const RealOf<T>* a, std::size_t n) {
  using R = RealOf<T>;
  Numbers<R> same = {}, crossed = {};
  for (std::size_t i = 0; i < n; i += together) {
    const auto qi = load<Numbers<R>>(q + i), ai = load<Numbers<R>>(a + i);
    same += qi * ai;
    if constexpr (is_complex<T>) crossed += in_turn(R(1), R(-1)) * (qi * exchanged<R>(ai));
  }
  if constexpr (is_complex<T>) {
    return {total<R>(same), total<R>(crossed)};
  } else {
    return total<R>(same);
  }
}

// a -= q factor; returns ||a||^2.
template <Scalar T>
TRISWEEP_INLINE double subtract(const RealOf<T>* q, T factor, RealOf<T>* a, std::size_t n) {
  using R = RealOf<T>;
  Numbers<R> squares = {};
  for (std::size_t i = 0; i < n; i += together) {
    const auto qi = load<Numbers<R>>(q + i);
    auto ai = load<Numbers<R>>(a + i);
    ai -= std::real(factor) * qi;
    if constexpr (is_complex<T>) ai -= in_turn(-factor.imag(), factor.imag()) * exchanged<R>(qi);
    squares += ai * ai;
    store(a + i, ai);
  }
  return double(total<R>(squares));
}

template <Scalar T>
void step(const GramSchmidtStep<T>& s) {
  using R = RealOf<T>;
  const std::size_t n = usize(s.block.rows) * (is_complex<T> ? 2 : 1);
  const auto* const q = reinterpret_cast<const R*>(s.q);
  for (Index j = 0; j < s.block.cols; ++j) {
    auto* const a = reinterpret_cast<R*>(s.block.column(j));
    s.product[j] = inner_product<T>(q, a, n);
    s.squared[j] = subtract<T>(q, s.product[j], a, n);
  }
}

}  // namespace

template <Scalar T>
GramSchmidt<T> gram_schmidt_of_isa() {
  return step<T>;
}

#define INSTANTIATE(T) template GramSchmidt<T> gram_schmidt_of_isa<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression::TRISWEEP_ISA
