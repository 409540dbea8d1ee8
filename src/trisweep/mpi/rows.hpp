#pragma once
// Scatters and gathers rows between rank 0 and all ranks: rank r has entries [begin[r], begin[r + 1]) of a
// list.
//
// Rank 0 has the list as `whole`, each rank its entries as `part`: scatter() fills `part`, gather() fills
// `whole`. Rank 0 exchanges one message of any size with each other rank that has entries, one rank after the
// other, directly from and into these arrays. Neither function allocates. `whole` and `begin` are read on
// rank 0 alone.

#include <algorithm>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

template <class T, class I>
void scatter(const Communicator& comm, const T* whole, const std::vector<I>& begin, std::span<T> part) {
  if (comm.rank() != 0) return comm.receive_bytes(part.data(), part.size_bytes(), 0, Tag::rows);
  std::copy_n(whole, part.size(), part.data());
  for (Index r = 1; r < comm.size(); ++r) {
    const std::span<const T> theirs(whole + begin[usize(r)], whole + begin[usize(r) + 1]);
    comm.send_bytes(theirs.data(), theirs.size_bytes(), r, Tag::rows);
  }
}

template <class T, class I>
void gather(const Communicator& comm, std::span<const T> part, const std::vector<I>& begin, T* whole) {
  if (comm.rank() != 0) return comm.send_bytes(part.data(), part.size_bytes(), 0, Tag::rows);
  std::copy_n(part.data(), part.size(), whole);
  for (Index r = 1; r < comm.size(); ++r) {
    const std::span<T> theirs(whole + begin[usize(r)], whole + begin[usize(r) + 1]);
    comm.receive_bytes(theirs.data(), theirs.size_bytes(), r, Tag::rows);
  }
}

}  // namespace trisweep::mpi
