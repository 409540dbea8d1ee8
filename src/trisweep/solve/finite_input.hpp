#pragma once
// Whether right-hand sides are to blame where there is no solution.

#include "trisweep/core/row_numbers.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// b: this rank's rows, in the host's memory. Collective: throws Error(input) on every rank when an entry of b
// is NaN or infinite on any, naming its row and column as `rows` and b number them, from 0.
template <Scalar T>
void require_finite(const mpi::Communicator& comm, Vectors<const T> b, const RowNumbers& rows);

}  // namespace trisweep::solve
