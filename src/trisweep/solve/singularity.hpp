#pragma once
// Is A singular to working precision? Factors alone cannot tell: a perturbed pivot makes them those of a
// nonsingular neighbour of A, whose condition number says little about A's.
//
// The test is to recover a solution that is known, measured in the unknowns of the scaled matrix Dr A Dc:
// with y random, y - A^-1 (A y) is rounding when A is regular, and has all of y's part in the null space when
// A is singular, which no solve recovers. What a solve missed takes y's place until a solve misses nothing
// (A is regular), or after a few rounds only a null vector is left. Whatever v is at hand solves A v = 0 with
// a componentwise backward error omega (refinement.hpp): a relative change of entries by omega makes A
// singular, whatever the units of its equations and unknowns are.
//
// Scales of A are not unique, and in a bad one random vectors are missed whose errors are small in another
// (upwind convection in units at random: a factor of 1.3 from each unknown to the next). But a direction that
// was missed, which is no null vector, and is then recovered, does not make A singular.
//
// Each rank holds its rows of all vectors. Costs one solve, corrected only where that is not a good one, two
// more where it missed half of the digits; and where these missed much, up to eight solves that are refined
// to the last bit.

#include <cmath>
#include <limits>

#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// A known solution that has come back with half of its digits says that the condition number is far from
// 1 / epsilon.
template <Scalar T>
double half_of_digits() {
  return std::sqrt(double(std::numeric_limits<RealOf<T>>::epsilon()));
}

struct Probe {
  // Whether as much as one digit of the known solution came back. If not, no answer can be trusted, whatever
  // the reason.
  bool recovered = false;
  // The largest share of a known solution's largest entry that the first solves of one missed.
  double missed = 1;
  // The largest 1 / omega that was looked at, a lower bound of a componentwise condition number; infinite
  // when A v = 0.
  double condition = 1;
};

// `refined` is of this matrix and this solver. Collective; the same result on every rank.
template <Scalar T>
Probe probe_singularity(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver,
                        RefinedSolver<T>& refined);

}  // namespace trisweep::solve
