#pragma once
// Contribution blocks from the ranks that have them to those that assemble them.

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/arrowheads.hpp"

namespace trisweep::solve {

// Adds `from` to the rows and columns `places` of `to`, whose owners are ranks. Called by all of these, with
// their own arrowheads; of ranks that call it for several matrices, in the same order. In parts: the copies
// under way take little memory.
template <Scalar T>
void add_arrowheads(const mpi::Communicator& comm, numeric::Kind kind,
                    const numeric::ArrowheadMatrix<T>& from, std::span<const Index> places,
                    const numeric::ArrowheadMatrix<T>& to);

}  // namespace trisweep::solve
