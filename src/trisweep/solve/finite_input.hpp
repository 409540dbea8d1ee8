#pragma once
// Check for right-hand sides that are not finite.

#include "trisweep/core/row_numbers.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// Throws Error(input) on every rank when an entry of b is NaN or infinite on any rank; the message names its
// row, as numbered by `rows`, and its column, from 0. b: this rank's rows, in host memory. Collective.
template <Scalar T>
void require_finite(const mpi::Communicator& comm, Vectors<const T> b, const RowNumbers& rows);

}  // namespace trisweep::solve
