#pragma once
// Tags of all messages on a Communicator. A plan's messages use their numbers as tags, on a communicator of
// the transport's own.

namespace trisweep::mpi {

enum class Tag : int {
  ghosts,       // entries of vectors that neighbours read (krylov/halo.hpp)
  rows,         // of matrices and vectors, to and from rank 0
  fronts,       // contributions to fronts of other ranks
  dissection,   // subdomains that other ranks dissect
  list,         // Communicator::gather()
  blocks,       // of an H-matrix, between ranks
  barrier,      // of two ranks that measure messages
  failure,      // of an object that is revoked (fault_state.hpp)
  sparse,       // lists of a sparse exchange
  conditional,  // entries of conditional collectives (fault_state.hpp)
};

}  // namespace trisweep::mpi
