#include "trisweep/solve/condition.hpp"

#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::solve {

template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver) {
  const auto by = [&](Op op) {
    return [&solver, op](Vectors<const T> b, Vectors<T> x) { solver.solve(op, b, x, false); };
  };
  const auto inverse = by(Op::none), adjoint = by(Op::conjugate_transpose);
  return solver.scaled_norm_one() *
         krylov::estimate_one_norm<T>(solver.comm(), solver.partition(), inverse, adjoint);
}

#define INSTANTIATE(T) template double estimate_condition(TriangularSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
