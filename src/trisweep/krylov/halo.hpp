#pragma once
// The entries of distributed vectors that a rank's rows of a matrix read from other ranks: *ghosts*.
//
// Before exchange(): each rank has its own rows. After: it also has its ghosts or (reversed) the ghosts'
// values have been added to their owners' rows. One message with each rank whose rows it reads, and one with
// each that reads its rows.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::krylov {

template <Scalar T>
class Halo {
 public:
  // Entries of this rank's vectors that `rank` reads, and the ghosts that this rank reads from it.
  struct Neighbour {
    Index rank;
    std::vector<Index> owned{};  // local rows that `rank` needs
    Index ghost_begin = 0;       // ghosts [ghost_begin, ghost_end) belong to `rank`
    Index ghost_end = 0;
  };

  Halo() = default;
  // `ghosts`: rows of other ranks, ascending. Collective; throws on every rank when any runs out of memory.
  Halo(const mpi::Communicator& comm, const distribution::RowPartition& partition,
       const std::vector<Index>& ghosts);

  // Allocates for vectors of `width` columns.
  void reserve(Index width);
  // Abandons memory that pending messages may still read or write, without freeing it.
  void release() { lending_.release(); }

  // Receives ghosts from their owners or (reversed) adds them to the owners' rows. `extended`: this rank's
  // rows, then its ghosts, row-major and `width` wide. `comm`: that of the constructor; polled for faults.
  void exchange(const mpi::Communicator& comm, bool reversed, T* extended, Index width);

  // The neighbours, in rank order.
  const std::vector<Neighbour>& neighbours() const { return neighbour_; }

 private:
  Index rows_ = 0;  // of this rank
  std::vector<Neighbour> neighbour_;
  std::size_t lent_ = 0;  // entries of a vector that neighbours need, counted once per neighbour
  Buffer<T> lending_;     // these entries, being sent or received
  std::vector<MPI_Request> request_;
};

}  // namespace trisweep::krylov
