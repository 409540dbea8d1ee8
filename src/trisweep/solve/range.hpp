#pragma once
// Entries near the largest number, whose sums would overflow: the system is solved in smaller units.

#include <span>

#include "trisweep/core/types.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// Whether each part of these values is finite, and no larger than the numbers an eighth of the exponents
// below the largest one. In one pass.
template <Scalar T>
bool is_within_range(std::span<const T> values);

// The power of two by which matrix and right-hand sides are multiplied: 1 where the values of all ranks are
// within range, as `within` says of these. No part becomes smaller than a normal number. Collective.
template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values, bool within);

}  // namespace trisweep::solve
