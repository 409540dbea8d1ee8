#pragma once
// The tags of all messages on a Communicator. Those of a plan's messages are their numbers, on a communicator
// of the transport's own (two_sided.hpp).

namespace trisweep::mpi {

enum class Tag : int {
  ghosts,       // entries of vectors that neighbours read (krylov/halo.hpp)
  rows,         // of matrices and vectors, to and from rank 0 (rows.hpp)
  fronts,       // contributions to fronts of other ranks (solve/fronts_of_ranks.hpp)
  dissection,   // subdomains that other ranks dissect (solve/dissecting_ranks.hpp)
  list,         // Communicator::gather()
  blocks,       // of an H-matrix, between ranks
  barrier,      // of two ranks that measure messages
  failure,      // of an object that is revoked (fault_state.hpp)
  sparse,       // lists of a sparse exchange (sparse_exchange.hpp)
  conditional,  // entries of conditional collectives (fault_state.hpp)
};

}  // namespace trisweep::mpi
