#pragma once
// Backward error of the solution of a triangular system.

#include "trisweep/core/vectors.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::sptrsv {

// Returns the maximum of |b - op(A) x| / (|op(A)| |x| + |b|) over all equations and right-hand sides (Oettli
// and Prager 1964); infinite if x has a NaN. Substitution stays below the number of a row's entries times the
// unit roundoff. b, x: the system's rows by right-hand sides, as the caller orders them; unchecked. Throws
// nothing.
template <Scalar T>
double backward_error(const LowerSystem<T>& system, Vectors<const T> b, Vectors<const T> x);

}  // namespace trisweep::sptrsv
