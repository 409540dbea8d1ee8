#pragma once
// The engine that runs plans as a device does (device/worker.hpp): on GPUs, or on the threads of the rank by
// the source of the GPUs' kernel, where it can be tested.

#include <map>

#include "trisweep/engine/program_runner.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::engine {

template <Scalar T>
class DeviceEngine final : public Engine<T> {
 public:
  DeviceEngine(const RankSystem<T>& system, const EngineOptions& options);
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  // Throws Error(usage) when ranks cannot reach each other's memory, or panels are of a storage that devices
  // have no products for.
  void prepare(Op op, const plan::Plan& plan, Index nrhs) override;
  Index room(Op op) const override;
  SolveProfile run(Op op, Vectors<const T> b, Vectors<T> x, bool scaled) override;
  void panels_changed() override;
  // Nothing but the times of phases is known, which are measured in any case.
  void record_in(Recorder* /*recorder*/) override {}

 private:
  // The program of an op, and what runs it.
  struct Prepared {
    const plan::Plan* plan = nullptr;
    Index nrhs = 0;
    device::Program program;
    std::unique_ptr<ProgramRunner<T>> runner;
    std::vector<plan::RankTraffic> traffic;  // by phase
  };
  void connect(device::Program& program) const;
  SolveProfile profile(const Prepared& prepared, Index nrhs) const;

  RankSystem<T> system_;
  EngineOptions options_;
  VectorScales<T> scales_;
  std::map<Op, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace trisweep::engine
