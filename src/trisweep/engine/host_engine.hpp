#pragma once
// The engine of the host: vectors in host memory, products by the threads of the rank.

#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/executor.hpp"
#include "trisweep/engine/prepared_plans.hpp"

namespace trisweep::engine {

template <Scalar T>
class HostEngine final : public Engine<T> {
 public:
  HostEngine(const RankSystem<T>& system, const EngineOptions& options);
  ~HostEngine() override;
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  void prepare(const plan::Plan& plan, Index nrhs) override;
  Index room(const plan::Plan& plan) const override;
  void forget(const plan::Plan& plan) override { prepared_.erase(plan); }
  SolveProfile run(const plan::Plan& plan, const CallersVectors<T>& vectors) override;
  void panels_changed() override {}  // panels are read in place
  void record_in(Recorder* recorder) override { recorder_ = recorder; }

 private:
  struct Prepared {
    Index nrhs = 0;
    std::unique_ptr<mpi::Transport> transport;
    std::vector<TinyShapes> shapes;  // by phase
  };
  void record(PhaseProfile& done, double recorded_from) const;

  RankSystem<T> system_;
  EngineOptions options_;
  Executor<T> executor_;
  VectorScales<T> scales_;
  PreparedPlans<Prepared> prepared_;
  Buffer<T> work_;  // slots, then cells
  Recorder* recorder_ = nullptr;
};

}  // namespace trisweep::engine
