#pragma once
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// The ranks that distributed vectors live on, and the threads of each. Both outlive objects made with them.
struct ParallelContext {
  const Communicator& comm;
  ThreadPool& pool;
};

}  // namespace trisweep::mpi
