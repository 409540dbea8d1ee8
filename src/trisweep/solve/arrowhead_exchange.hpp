#pragma once
// Sends contribution blocks, distributed by arrowheads, to the ranks that assemble them.

#include <span>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/arrowheads.hpp"

namespace trisweep::solve {

// The addition of `from` to the rows and columns `places` of `to`. Owners of arrowheads are ranks.
template <Scalar T>
struct ArrowheadAddition {
  numeric::ArrowheadMatrix<T> from;
  std::span<const Index> places;
  numeric::ArrowheadMatrix<T> to;
};

// Performs `additions`, with all entries between two ranks in one stream. Called by all ranks that own an
// arrowhead in them, with their own arrowheads; in the same order, if called several times. Entries are sent
// in parts, so that the copies under way take little memory.
template <Scalar T>
void add_arrowheads(const mpi::Communicator& comm, numeric::Kind kind,
                    std::span<const ArrowheadAddition<T>> additions);

}  // namespace trisweep::solve
