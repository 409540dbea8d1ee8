#pragma once
// Contribution blocks from the ranks that have them to those that assemble them.

#include <span>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/arrowheads.hpp"

namespace trisweep::solve {

// Of `from` to the rows and columns `places` of `to`, whose owners are ranks.
template <Scalar T>
struct ArrowheadAddition {
  numeric::ArrowheadMatrix<T> from;
  std::span<const Index> places;
  numeric::ArrowheadMatrix<T> to;
};

// Makes `additions`, whose entries between two ranks go together. Called by all owners in these, with their
// own arrowheads; of ranks that call it several times, in the same order. In parts: the copies under way take
// little memory.
template <Scalar T>
void add_arrowheads(const mpi::Communicator& comm, numeric::Kind kind,
                    std::span<const ArrowheadAddition<T>> additions);

}  // namespace trisweep::solve
