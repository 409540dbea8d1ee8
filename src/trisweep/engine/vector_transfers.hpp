#pragma once
// Runs the phases that bring b in and x out: the way of every engine to the caller's rows.

#include "trisweep/core/buffer.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/run.hpp"

namespace trisweep::engine {

template <Scalar T>
class VectorTransfers {
 public:
  VectorTransfers(ThreadPool& pool, Index rank) : pool_(pool), rank_(rank) {}

  // Makes room, so that running a phase of `plan` with at most `nrhs` right-hand sides does not allocate.
  void reserve(const plan::Plan& plan, Index nrhs);
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() { packed_.release(); }
  PhaseProfile run(const plan::VectorPhase& phase, Index channel, const Run<T>& run);

 private:
  ThreadPool& pool_;
  Index rank_;
  Buffer<T> packed_;  // a phase's messages
};

}  // namespace trisweep::engine
