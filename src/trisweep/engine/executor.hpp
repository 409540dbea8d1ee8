#pragma once
// Runs the phases of a plan on the host (2018 paper, Algorithm 2, generalized: the same loop serves both
// directions, both sides and all ops, because all of that is in the plan).
//
// The calling thread takes messages, which others wait for, before tasks; the other threads of the rank take
// tasks only. Whoever completes a segment sends it at once: calls of the transport are serialized.

#include <memory>
#include <vector>

#include "trisweep/core/crew.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/recorder.hpp"
#include "trisweep/engine/vector_moves.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/plan/plan.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::engine {

// What the phases of one solve are run with.
template <Scalar T>
struct Run {
  kernels::Work<T> work;  // of thread 0
  transport::Transport& transport;
  transport::Patience& patience;
  Recorder* recorder;  // may be null
  CallersVectors<T> vectors{};
};

template <Scalar T>
T* rows_at(const kernels::Work<T>& work, plan::WorkRow row) {
  return work.at(row.value());
}

struct SweepState;

template <Scalar T>
class Executor {
 public:
  Executor(const distribution::Share& share, distribution::PiecePositions positions,
           const PanelStore<T>& panels, Crew& crew);
  ~Executor();

  // Makes room, so that running a phase of `plan` with at most `nrhs` right-hand sides does not allocate.
  void reserve(const plan::Plan& plan, Index nrhs);
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() { packed_.release(); }
  // Scratch for the products of thread 0; the others have their own.
  T* scratch() { return scratch_.data(); }

  PhaseProfile run(const plan::SweepPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::ExchangePhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::DiagonalPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::VectorPhase& phase, Index channel, const Run<T>& run);

 private:
  template <Scalar>
  friend class SweepRun;

  kernels::Work<T> work_of(const Run<T>& run, int thread);
  // Multiplies a segment by its own inverted diagonal block, a whole piece of the diagonal side.
  void apply_diagonal(const plan::Strip& strip, Op op, const kernels::Work<T>& work);
  // Waits for one of the phase's messages; describe() says what for.
  template <class Describe>
  void receive(Index number, std::span<T> packed, const Run<T>& run, const Describe& describe);
  void pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work);

  const distribution::Share& share_;
  const distribution::PiecePositions positions_;
  const PanelStore<T>& panels_;
  Crew& crew_;
  std::unique_ptr<SweepState> state_;
  std::size_t scratch_size_ = 0;  // of one thread
  Buffer<T> scratch_;
  Buffer<T> packed_;  // a phase's messages between layers, or of vectors
};

}  // namespace trisweep::engine
