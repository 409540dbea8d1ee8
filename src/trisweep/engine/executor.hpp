#pragma once
// Runs the phases of a plan on the host (2018 paper, Algorithm 2, generalized: the same loop serves both
// directions, both sides and all ops, because all of that is in the plan).
//
// The calling thread takes messages, which others wait for, before tasks; the other threads of the rank take
// tasks only. Whoever completes a segment sends it at once: calls of the transport are serialized.

#include <memory>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/vector_transfers.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

struct SweepState;

template <Scalar T>
class Executor {
 public:
  Executor(const distribution::LocalBlocks& local_blocks, distribution::PiecePositions positions,
           const PanelStore<T>& panels, ThreadPool& pool);
  ~Executor();

  // Makes room, so that running a phase of `plan` with at most `nrhs` right-hand sides does not allocate.
  void reserve(const plan::Plan& plan, Index nrhs);
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() {
    packed_.release();
    vectors_.release();
  }
  // Scratch for the products of thread 0; the others have their own.
  T* scratch() { return scratch_.data(); }

  PhaseProfile run(const plan::SweepPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::ExchangePhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::DiagonalPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::VectorPhase& phase, Index channel, const Run<T>& run) {
    return vectors_.run(phase, channel, run);
  }

 private:
  template <Scalar>
  friend class SweepRun;

  kernels::Work<T> work_of(const Run<T>& run, int thread);
  // Multiplies a segment by its own inverted diagonal block, a whole piece of the diagonal side.
  void apply_diagonal(const plan::RowBlock& row_block, Op op, const kernels::Work<T>& work);
  void pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work);

  const distribution::LocalBlocks& local_blocks_;
  const distribution::PiecePositions positions_;
  const PanelStore<T>& panels_;
  ThreadPool& pool_;
  VectorTransfers<T> vectors_;
  std::unique_ptr<SweepState> state_;
  std::size_t scratch_size_ = 0;  // of one thread
  Buffer<T> scratch_;
  Buffer<T> packed_;  // a phase's messages between layers
};

}  // namespace trisweep::engine
