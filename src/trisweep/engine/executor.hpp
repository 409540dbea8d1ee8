#pragma once
// Runs the phases of a plan on the host (2018 paper, Algorithm 2, generalized: the same loop serves both
// directions, both sides and all ops, because all of that is in the plan).
//
// The calling thread takes messages, which others wait for, before tasks; the other threads of the rank take
// tasks only. Whoever completes a segment sends it at once: calls of the transport are serialized.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/run.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

template <Scalar T>
struct SweepState;

// Those [begin, end) of a phase.
struct RowBlocks {
  const std::vector<plan::RowBlock>& all;
  const TinyShapes& shapes;
  std::size_t begin;
  std::size_t end;
};

// This rank's panels, and the threads that multiply by them.
template <Scalar T>
struct LocalPanels {
  const distribution::LocalBlocks& local_blocks;
  const distribution::PiecePositions positions;
  const PanelStore<T>& values;
  ThreadPool& pool;

  // Multiplies segments by their own inverted diagonal blocks, whole pieces of the diagonal side.
  void apply_diagonal(const RowBlocks& row_blocks, Op op, const kernels::Work<T>& work) const;
  // The values of a side where its tiny panels are multiplied as tiny_panels.hpp does, else null.
  const T* tiny(distribution::Side side, const kernels::Work<T>& work) const {
    return work.nrhs == 1 ? values.plain(side) : nullptr;
  }
};

template <Scalar T>
class Executor {
 public:
  Executor(const distribution::LocalBlocks& local_blocks, distribution::PiecePositions positions,
           const PanelStore<T>& panels, ThreadPool& pool);
  ~Executor();

  // Makes room, so that running a phase of `plan` with at most `nrhs` right-hand sides does not allocate.
  void reserve(const plan::Plan& plan, Index nrhs);
  // By phase.
  std::vector<TinyShapes> tiny_shapes(const plan::Plan& plan) const;
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() { packed_.release(); }
  // Scratch for the products of thread 0; the others have their own.
  T* scratch() const;

  PhaseProfile run(const plan::SweepPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::ExchangePhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::DiagonalPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::VectorPhase& phase, Index channel, const Run<T>& run);

 private:
  void pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work);

  LocalPanels<T> panels_;
  std::unique_ptr<SweepState<T>> state_;
  Buffer<T> packed_;  // a phase's messages between layers, or of the caller's rows
};

}  // namespace trisweep::engine
