#pragma once
// The engine that runs plans as programs of a device (device/worker.hpp): on GPUs, or on the threads of the
// rank by the source of the GPUs' kernel, where it can be tested.

#include "trisweep/engine/device_refinement.hpp"
#include "trisweep/engine/prepared_plans.hpp"
#include "trisweep/engine/program_runner.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::engine {

template <Scalar T>
class DeviceEngine final : public Engine<T> {
 public:
  DeviceEngine(const RankSystem<T>& system, const EngineOptions& options);
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  // Throws Error(environment) if the plan has segments that ranks share, and their devices cannot access each
  // other's memory.
  void prepare(const plan::Plan& plan, Index nrhs) override;
  Index room(const plan::Plan& plan) const override;
  void forget(const plan::Plan& plan) override { prepared_.erase(plan); }
  SolveProfile run(const plan::Plan& plan, const CallersVectors<T>& vectors) override;
  void start(const plan::Plan& plan, const CallersVectors<T>& vectors, void* stream) override;
  std::unique_ptr<Refinement<T>> refinement(const plan::Plan& plan, const device::ResidualSystem<T>& of,
                                            const plan::VectorPhase& columns, Index nrhs) override;
  bool reaches_device() const override { return true; }
  void copy(Vectors<T> to, Vectors<const T> from) const override {
    backend::copy_columns(options_.device, to, from, nullptr);
    backend::runtime(options_.device).wait(nullptr);
  }
  void panels_changed() override;
  // Records nothing: only the times of phases are known, which are always measured.
  void record_in(Recorder* /*recorder*/) override {}

 private:
  // The program of a plan, and its runner.
  struct Prepared : RunningProgram<T> {
    Index nrhs = 0;
    std::vector<plan::RankTraffic> traffic;  // by phase
  };
  // Tells each rank the destinations of its messages. True if devices put any messages. Collective.
  bool connect(device::Program& program) const;
  // Layouts of the PEs that the program knows. Collective.
  std::vector<device::SharedLayout> layouts_of_peers(const device::Program& program) const;
  // Connects the program to those of other ranks, if devices put messages. Collective.
  void reach_others(RunningProgram<T>& of);
  // Connects the program and makes its runner. Collective.
  void set_up(RunningProgram<T>& of, Index nrhs, const CallersVectors<T>& scales,
              const device::ResidualSystem<T>* measuring);
  SolveProfile profile(const plan::Plan& plan, const Prepared& prepared, Index nrhs) const;

  RankSystem<T> system_;
  EngineOptions options_;
  VectorScales<T> scales_;
  std::shared_ptr<backend::SymmetricHeap> gpus_;
  PreparedPlans<std::unique_ptr<Prepared>> prepared_;
};

}  // namespace trisweep::engine
