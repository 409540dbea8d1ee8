#pragma once
// Is A singular to working precision? Factors alone cannot tell: a perturbed pivot makes them those of a
// nonsingular neighbour of A.

#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// A lower bound of the 1-norm condition number of the scaled matrix Dr A Dc, proved by a vector v:
// ||Dr A Dc||_1 ||v||_1 / ||Dr A Dc v||_1. Infinity when the product is zero.
//
// v is what a refined solve misses of a random solution that is known: y minus the solution of A x = A y.
// When A is nonsingular that is rounding, and the bound is small; when A is singular it is the part of y in
// the null space, which no solve can recover, and a few more such steps leave nothing else. Collective; costs
// one refined solve, or four when the first misses much.
template <Scalar T, Scalar F>
double condition_from_below(DistributedMatrix<T>& a, TriangularSolver<F>& solver);

}  // namespace trisweep::solve
