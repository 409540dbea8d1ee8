#include "trisweep/solve/skeel_condition.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::solve {

// ||B||_inf = ||B^H||_1 with B = diag(weight) op(A)^-1 diag(magnitude).
template <Scalar T>
double skeel_condition(const krylov::DistributedMatrix<T>& a, Corrections<T>& inverse, Op op,
                       std::span<const RealOf<T>> weight, std::span<const RealOf<T>> magnitude) {
  const auto multiply_by = [](std::span<const RealOf<T>> factors, const T* v, Vectors<T> to) {
    std::transform(v, v + to.rows, factors.begin(), to.data, std::multiplies<>{});
  };
  const auto conjugate_all = [](Vectors<T> v) {
    std::transform(v.data, v.data + v.rows, v.data, [](const T& e) { return conjugate(e); });
  };
  const auto adjoint = [&](Vectors<const T> x, Vectors<T> y) {
    multiply_by(weight, x.data, y);
    if (op == Op::transpose) conjugate_all(y);  // A^-T has the adjoint conj(A)^-1
    inverse.by_factors(op == Op::none ? Op::conjugate_transpose : Op::none, y, y);
    if (op == Op::transpose) conjugate_all(y);
    multiply_by(magnitude, y.data, y);
  };
  const auto product = [&](Vectors<const T> x, Vectors<T> y) {
    multiply_by(magnitude, x.data, y);
    inverse.by_factors(op, y, y);
    multiply_by(weight, y.data, y);
  };
  return krylov::estimate_one_norm<T>(a.comm(), a.partition(), adjoint, product);
}

#define INSTANTIATE(T)                                                                      \
  template double skeel_condition(const krylov::DistributedMatrix<T>&, Corrections<T>&, Op, \
                                  std::span<const RealOf<T>>, std::span<const RealOf<T>>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
