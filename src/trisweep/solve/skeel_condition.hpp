#pragma once
// Condition numbers of a solution: what its componentwise backward error means for its entries (Skeel 1979;
// LAPACK's xGERFS).

#include <span>

#include "trisweep/solve/corrections.hpp"

namespace trisweep::solve {

// An estimate of max_i (weight_i |op(A)^-1| magnitude)_i with the factors of A; each rank passes its rows.
// Collective; at most ten solves. Throws on every rank when any runs out of memory.
template <Scalar T>
double skeel_condition(const krylov::DistributedMatrix<T>& a, Corrections<T>& inverse, Op op,
                       std::span<const RealOf<T>> weight, std::span<const RealOf<T>> magnitude);

}  // namespace trisweep::solve
