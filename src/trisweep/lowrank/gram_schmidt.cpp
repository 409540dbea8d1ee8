// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/lowrank/gram_schmidt.hpp"

#include "trisweep/lowrank/lanes.hpp"

namespace trisweep::lowrank::TRISWEEP_ISA {
namespace {

static_assert(gram_schmidt_rows % lanes == 0);

// q^H a of n real numbers.
template <Scalar T>
TRISWEEP_INLINE T inner_product(const RealOf<T>* q, const RealOf<T>* a, std::size_t n) {
  using R = RealOf<T>;
  Lanes<R> same = {}, crossed = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    const auto qi = load<Lanes<R>>(q + i), ai = load<Lanes<R>>(a + i);
    same += qi * ai;
    if constexpr (is_complex<T>) crossed += alternating(R(1), R(-1)) * (qi * swapped<R>(ai));
  }
  if constexpr (is_complex<T>) {
    return {sum_of_lanes<R>(same), sum_of_lanes<R>(crossed)};
  } else {
    return sum_of_lanes<R>(same);
  }
}

// a -= q factor; returns ||a||^2.
template <Scalar T>
TRISWEEP_INLINE double subtract(const RealOf<T>* q, T factor, RealOf<T>* a, std::size_t n) {
  using R = RealOf<T>;
  Lanes<R> squares = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    const auto qi = load<Lanes<R>>(q + i);
    auto ai = load<Lanes<R>>(a + i);
    ai -= std::real(factor) * qi;
    if constexpr (is_complex<T>) ai -= alternating(-factor.imag(), factor.imag()) * swapped<R>(qi);
    squares += ai * ai;
    store(a + i, ai);
  }
  return double(sum_of_lanes<R>(squares));
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

}  // namespace trisweep::lowrank::TRISWEEP_ISA
