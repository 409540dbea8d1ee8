#pragma once
// Test whether A is singular to working precision. Factors alone cannot tell: with a perturbed pivot they are
// the factors of a nonsingular neighbour of A, whose condition number says little about A's.
//
// The test is to recover a known solution, measured in the unknowns of the scaled matrix Dr A Dc. For random
// y, y - A^-1 (A y) is a rounding error if A is nonsingular; if A is singular, it contains y's component in
// the null space, which no solve recovers. The error replaces y, until a solve recovers it (A is nonsingular)
// or, after a few rounds, only a null vector is left. Each such vector v solves A v = 0 with a componentwise
// backward error omega (refinement.hpp): a relative change of entries by omega makes A singular,
// independently of the units of equations and unknowns.
//
// Scalings of A are not unique; in a bad one, random vectors are not recovered whose errors are small in
// another one (upwind convection in random units: a factor of 1.3 from each unknown to the next). But an
// error vector that is no null vector, and that a further solve recovers, does not make A singular.
//
// Each rank has its rows of all vectors. Cost: one solve, corrected if necessary; two more if it lost half of
// the digits; and if these are inaccurate, too, up to eight solves refined to the last bit.

#include <cmath>
#include <limits>

#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// Relative error up to which a recovered solution shows that the condition number is far from 1 / epsilon:
// half of its digits are correct.
template <Scalar T>
double half_of_digits() {
  return std::sqrt(double(std::numeric_limits<RealOf<T>>::epsilon()));
}

struct Probe {
  // At least one digit of the known solution was recovered. Otherwise no answer can be trusted.
  bool recovered = false;
  // Largest error of the first solves relative to the largest entry of the known solution.
  double missed = 1;
  // Largest 1 / omega found, a lower bound of a componentwise condition number; infinite if A v = 0.
  double condition = 1;
};

// `refined`: made from `a` and `solver`. Collective; returns the same on every rank.
template <Scalar T>
Probe probe_singularity(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver,
                        RefinedSolver<T>& refined);

}  // namespace trisweep::solve
