#pragma once
// Condition numbers, with the factors.

#include <functional>
#include <span>

#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// x = op(A)^-1 b, of one column; b and x may be the same. Collective.
template <Scalar T>
using Inverse = std::function<void(Op op, Vectors<const T> b, Vectors<T> x)>;

// An estimate (a lower bound, rarely off by more than a factor of 3) of the 1-norm condition number of the
// scaled matrix Dr A Dc: LAPACK's xLACN2 (Higham 1988) with at most five solves with the factors and as many
// with their conjugate transpose. Infinity when the solves overflow. Collective; rank 0 needs room for three
// vectors.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver);
// The same with another inverse, of A in the caller's units, where the factors are of a matrix nearby.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse);

// Of a solution: what its componentwise backward error means for its entries (Skeel 1979; LAPACK's xGERFS).
// An estimate of max_i (weight_i |op(A)^-1| magnitude)_i; each rank passes its rows. Collective; at most ten
// solves by `inverse`, of the matrix that `solver` has. Throws on every rank when any runs out of memory.
template <Scalar T>
double skeel_condition(TriangularSolver<T>& solver, const Inverse<T>& inverse, Op op,
                       std::span<const RealOf<T>> weight, std::span<const RealOf<T>> magnitude);

}  // namespace trisweep::solve
