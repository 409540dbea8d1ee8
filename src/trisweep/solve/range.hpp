#pragma once
// Entries near the largest number, whose sums would overflow: the system is solved in smaller units.

#include <span>

#include "trisweep/core/types.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// The power of two by which matrix and right-hand sides are multiplied: 1 unless the largest part of an entry
// on any rank is within an eighth of the exponents from the largest number. No part becomes smaller than a
// normal number. Collective.
template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values);

}  // namespace trisweep::solve
