#pragma once
// Memory that all ranks of a node see, of which each rank has a part. Not an MPI window: MPI's shared windows
// end some ranks and leave others waiting when memory does not suffice, and are limited by the size of
// /dev/shm, which containers keep small. It has no name, so nothing stays behind whatever becomes of the
// ranks.

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

class NodeMemory {
 public:
  // `bytes`: of this rank's part, zeroed; `page`: of this machine's memory, or a multiple, the same on all
  // ranks. Collective over the ranks of one node. Throws Error(environment) on every rank when memory does
  // not suffice or the system does not let them share it.
  NodeMemory(const Communicator& node, std::size_t bytes, Offset page = page_of_machine());

  static Offset page_of_machine();

  std::byte* part(Index rank) const { return base_.get() + begin_[usize(rank)]; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* base) const;
  };

  std::vector<Offset> begin_;  // of each rank's part; last: all bytes
  std::unique_ptr<std::byte, Unmap> base_;
};

}  // namespace trisweep::mpi
