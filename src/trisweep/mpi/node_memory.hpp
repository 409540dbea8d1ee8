#pragma once
// Memory that all ranks of a node share, with one part for each rank. It is not an MPI window: if memory does
// not suffice, MPI's shared windows end some ranks and leave others waiting, and they are limited by the size
// of /dev/shm, which containers keep small. The memory has no name, so nothing stays behind whatever becomes
// of the ranks.

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

class NodeMemory {
 public:
  // `bytes`: size of this rank's part, which is zeroed; `page`: this machine's page size, or a multiple, the
  // same on all ranks. Collective over the ranks of one node. Throws Error(environment) on every rank if
  // memory does not suffice or the system does not let the ranks share it.
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
