#pragma once
// The engine of the host: vectors in its memory, products by the threads of the rank.

#include <map>

#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/executor.hpp"

namespace trisweep::engine {

template <Scalar T>
class HostEngine final : public Engine<T> {
 public:
  HostEngine(const RankSystem<T>& system, const EngineOptions& options);
  ~HostEngine() override;
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  void prepare(Op op, const plan::Plan& plan, Index nrhs) override;
  Index room(Op op) const override;
  SolveProfile run(Op op, const CallersVectors<T>& vectors) override;
  void panels_changed() override {}  // they are read where they are
  void record_in(Recorder* recorder) override { recorder_ = recorder; }

 private:
  struct Prepared {
    const plan::Plan* plan = nullptr;
    Index nrhs = 0;
    std::unique_ptr<mpi::Transport> transport;
  };
  void record(PhaseProfile& done, double recorded_from) const;

  RankSystem<T> system_;
  EngineOptions options_;
  Executor<T> executor_;
  VectorScales<T> scales_;
  std::map<Op, Prepared> prepared_;
  Buffer<T> work_;  // slots, then cells
  Recorder* recorder_ = nullptr;
};

}  // namespace trisweep::engine
