#pragma once
// The entries of distributed vectors that a rank's rows of a matrix read from other ranks: *ghosts*.
//
// Before: each rank knows its own rows. After exchange(): it has its ghosts as well, or (reversed) its own
// rows have all that was added to them elsewhere. One message with each rank whose rows it reads, and one
// with each that reads its rows.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::krylov {

template <Scalar T>
class Halo {
 public:
  // Entries of this rank's vectors that `rank` reads, and where what this rank reads from it is kept.
  struct Neighbour {
    Index rank;
    std::vector<Index> owned{};  // local rows that `rank` needs
    Index ghost_begin = 0;       // ghosts [ghost_begin, ghost_end) belong to `rank`
    Index ghost_end = 0;
  };

  Halo() = default;
  // `ghosts`: rows of other ranks, in order. Collective; throws on every rank when any runs out of memory.
  Halo(const mpi::Communicator& comm, const distribution::RowPartition& partition,
       const std::vector<Index>& ghosts);

  // Room for vectors of `width` columns.
  void reserve(Index width);
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() { lending_.release(); }

  // `extended`: this rank's rows, then its ghosts, row-major and `width` wide. Ghosts come from their owners,
  // or (reversed) are added back to them. `comm`: the same as before, listened to while it waits.
  void exchange(const mpi::Communicator& comm, bool reversed, T* extended, Index width);

  // In the order of ranks.
  const std::vector<Neighbour>& neighbours() const { return neighbour_; }

 private:
  Index rows_ = 0;  // of this rank
  std::vector<Neighbour> neighbour_;
  std::size_t lent_ = 0;  // entries of a vector that neighbours need, each counted as often as it is needed
  Buffer<T> lending_;     // these, on their way to or from the neighbours
  std::vector<MPI_Request> request_;
};

}  // namespace trisweep::krylov
