#pragma once
// Systems with entries near the overflow threshold, whose sums would overflow, are solved in smaller units.

#include <span>

#include "trisweep/core/types.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// True if all real and imaginary parts are finite and smaller than 2^(7/8 max_exponent): an eighth of the
// exponents is left for sums. In one pass.
template <Scalar T>
bool is_within_range(std::span<const T> values);

// Returns the power of two by which matrix and right-hand sides are multiplied: 1 if the values of all ranks
// are within range; `within`: those of this rank are. No part becomes subnormal. Collective.
template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values, bool within);

}  // namespace trisweep::solve
