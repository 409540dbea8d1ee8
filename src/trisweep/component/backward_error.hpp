#pragma once
#include "trisweep/component/lower_system.hpp"
#include "trisweep/core/vectors.hpp"

namespace trisweep::component {

// The largest |b - op(A) x| / (|op(A)| |x| + |b|) of all equations and right-hand sides (Oettli and Prager
// 1964); infinite where x is not a number. Substitution stays below the number of a row's entries times the
// unit roundoff.
template <Scalar T>
double backward_error(const LowerSystem<T>& system, Vectors<const T> b, Vectors<const T> x);

}  // namespace trisweep::component
