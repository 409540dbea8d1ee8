#pragma once
// Large entries to the diagonal of a matrix that is distributed by rows: no rank has the entries of others.

#include <optional>

#include "trisweep/core/observer.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/ordering/matching.hpp"
#include "trisweep/solve/equilibration.hpp"

namespace trisweep::solve {

// A matching of nearly the largest product, by an auction (ordering/auction.hpp): each rank bids for its
// rows until they are matched, by the prices that it knows; then all ranks learn the best bids for each
// column, and rows that were outbid bid again. Prices and owners of all columns are the same on every rank.
// `rows`: this rank's. `units`: a scaling to begin with. Returns the same on every rank: nullopt if no
// matching was found soon, as in structurally singular matrices. Collective.
template <Scalar T>
std::optional<ordering::Matching> match_in_parallel(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                                    const distribution::RowPartition& partition,
                                                    const Equilibration& units, Observer& observer);

}  // namespace trisweep::solve
