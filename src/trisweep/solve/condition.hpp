#pragma once
// Estimates of condition numbers, by solves with the factors.

#include <functional>
#include <span>

#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// x = op(A)^-1 b for one right-hand side; b and x may be the same memory. Collective.
template <Scalar T>
using Inverse = std::function<void(Op op, Vectors<const T> b, Vectors<T> x)>;

// Returns an estimate (a lower bound, rarely off by more than a factor of 3) of the 1-norm condition number
// of the scaled matrix Dr A Dc: LAPACK's xLACN2 (Higham 1988) with at most five solves with the factors and
// as many with their conjugate transpose. Infinity if the solves overflow. Collective; rank 0 needs memory
// for three whole vectors.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver);
// The same with another `inverse`, of the unscaled A, if the factors are those of a perturbed matrix.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse);

// Returns an estimate of max_i weight_i (|op(A)^-1| magnitude)_i: the effect of a componentwise backward
// error on the entries of a solution (Skeel 1979; LAPACK's xGERFS). Each rank passes its rows. Collective; at
// most ten solves by `inverse`, of the matrix of `solver`. Throws on every rank when any runs out of memory.
template <Scalar T>
double skeel_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse, Op op,
                       std::span<const RealOf<T>> weight, std::span<const RealOf<T>> magnitude);

}  // namespace trisweep::solve
