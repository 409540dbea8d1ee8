#include "trisweep/solve/condition.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::solve {
namespace {

// The op whose solve applies the adjoint of A^-1. A Hermitian matrix needs no second plan for it.
template <Scalar T>
Op adjoint_op(const TriangularSolver<T>& solver) {
  const bool is_hermitian = solver.kind() == numeric::Kind::cholesky && !solver.is_coupled();
  return is_hermitian ? Op::none : Op::conjugate_transpose;
}

// `inverse`: that of the scaled matrix.
template <Scalar T>
double condition_of_scaled(TriangularSolver<T>& solver, const Inverse<T>& inverse) {
  const auto by = [&](Op op) {
    return [&inverse, op](Vectors<const T> b, Vectors<T> x) { inverse(op, b, x); };
  };
  const auto multiply = by(Op::none), adjoint = by(adjoint_op(solver));
  return solver.scaled_norm_one() *
         krylov::estimate_one_norm<T>(solver.comm(), solver.partition(), multiply, adjoint);
}

}  // namespace

template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver) {
  if (solver.is_coupled())
    return estimate_condition<T>(solver,
                                 [&](Op op, Vectors<const T> b, Vectors<T> x) { solver.solve(op, b, x); });
  return condition_of_scaled<T>(solver, [&](Op op, Vectors<const T> b, Vectors<T> x) {
    solver.solve(op, {.b = b, .x = x, .scaled = false});
  });
}

// op(Dr A Dc)^-1 = E^-1 op(A)^-1 D^-1, with D the scaling of the equations of op(A), E that of its unknowns.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse) {
  const auto over = [](const T& v, double scale) { return v / static_cast<RealOf<T>>(scale); };
  return condition_of_scaled<T>(solver, [&](Op op, Vectors<const T> b, Vectors<T> x) {
    const std::span<const double> equations = solver.equation_scale(op);
    const std::span<const double> unknowns = solver.equation_scale(op == Op::none ? Op::transpose : Op::none);
    std::transform(b.data, b.data + b.rows, equations.begin(), x.data, over);
    inverse(op, x, x);
    std::transform(x.data, x.data + x.rows, unknowns.begin(), x.data, over);
  });
}

// ||B||_inf = ||B^H||_1 with B = diag(weight) op(A)^-1 diag(magnitude).
template <Scalar T>
double skeel_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse, Op op,
                       std::span<const RealOf<T>> weight, std::span<const RealOf<T>> magnitude) {
  const auto multiply_by = [](std::span<const RealOf<T>> factors, const T* v, Vectors<T> to) {
    std::transform(v, v + to.rows, factors.begin(), to.data, std::multiplies<>{});
  };
  const auto conjugate_all = [](Vectors<T> v) {
    std::transform(v.data, v.data + v.rows, v.data, [](const T& e) { return conjugate(e); });
  };
  const auto adjoint = [&](Vectors<const T> x, Vectors<T> y) {
    multiply_by(weight, x.data, y);
    if (op == Op::transpose) conjugate_all(y);  // the adjoint of A^-T is conj(A)^-1
    inverse(op == Op::none ? adjoint_op(solver) : Op::none, y, y);
    if (op == Op::transpose) conjugate_all(y);
    multiply_by(magnitude, y.data, y);
  };
  const auto product = [&](Vectors<const T> x, Vectors<T> y) {
    multiply_by(magnitude, x.data, y);
    inverse(op, y, y);
    multiply_by(weight, y.data, y);
  };
  return krylov::estimate_one_norm<T>(solver.comm(), solver.partition(), adjoint, product);
}

#define INSTANTIATE(T)                                                                                     \
  template double estimate_condition(TriangularSolver<T>&);                                                \
  template double estimate_condition(TriangularSolver<T>&, const Inverse<T>&);                             \
  template double skeel_condition(TriangularSolver<T>&, const Inverse<T>&, Op, std::span<const RealOf<T>>, \
                                  std::span<const RealOf<T>>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
