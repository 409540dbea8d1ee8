#pragma once
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// An estimate (a lower bound, rarely off by more than a factor of 3) of the 1-norm condition number of the
// scaled matrix Dr A Dc: LAPACK's xLACN2 (Higham 1988) with at most five solves with the factors and as many
// with their conjugate transpose. Infinity when the solves overflow. Collective; rank 0 needs room for three
// vectors.
template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver);

}  // namespace trisweep::solve
