#pragma once
// The engine that runs plans as a device does (device/worker.hpp): on GPUs, or on the threads of the rank by
// the source of the GPUs' kernel, where it can be tested.

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

  // Throws Error(environment) when the plan has segments that ranks share, and their devices do not reach
  // each other's memory.
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
  // Nothing but the times of phases is known, which are measured in any case.
  void record_in(Recorder* /*recorder*/) override {}

 private:
  // The program of a plan, and what runs it.
  struct Prepared : RunningProgram<T> {
    Index nrhs = 0;
    std::vector<plan::RankTraffic> traffic;  // by phase
  };
  // Each rank hears where its messages come to. Whether there are any that devices put. Collective.
  bool connect(device::Program& program) const;
  // Of the PEs that it knows. Collective.
  std::vector<device::SharedLayout> layouts_of_peers(const device::Program& program) const;
  // Connects the program, where anything is put. Collective.
  void reach_others(RunningProgram<T>& of);
  // And makes its runner. Collective.
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
