#include "trisweep/solve/condition.hpp"

#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::solve {

template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver) {
  const auto by = [&](Op op) {
    return [&solver, op](std::span<T> v) {
      const auto rows = static_cast<Index>(v.size());
      solver.solve(op, {v.data(), rows, 1}, {v.data(), rows, 1}, false);
    };
  };
  return solver.scaled_norm_one() * krylov::estimate_one_norm<T>(solver.comm(), solver.partition(),
                                                                 by(Op::none), by(Op::conjugate_transpose));
}

#define INSTANTIATE(T) template double estimate_condition(TriangularSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
