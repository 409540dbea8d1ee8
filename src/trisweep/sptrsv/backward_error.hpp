#pragma once
// How accurate a solution of a triangular system is.

#include "trisweep/core/vectors.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::sptrsv {

// The largest |b - op(A) x| / (|op(A)| |x| + |b|) of all equations and right-hand sides (Oettli and Prager
// 1964); infinite where x is not a number. Substitution stays below the number of a row's entries times the
// unit roundoff. b, x: the system's rows by right-hand sides, in the caller's order; they are not
// checked. Throws nothing.
template <Scalar T>
double backward_error(const LowerSystem<T>& system, Vectors<const T> b, Vectors<const T> x);

}  // namespace trisweep::sptrsv
