#pragma once
// The engine that runs plans as a device does (device/worker.hpp), by the threads of the rank: the source of
// the GPUs' kernel, where it can be tested. Ranks write to each other's memory, so all are on one node.

#include <map>

#include "trisweep/device/host_pe.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/vector_transfers.hpp"
#include "trisweep/plan/traffic.hpp"
#include "trisweep/transport/node_memory.hpp"

namespace trisweep::engine {

template <Scalar T>
class DeviceEngine final : public Engine<T> {
 public:
  DeviceEngine(const RankSystem<T>& system, const EngineOptions& options);
  ~DeviceEngine() override;
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  // Throws Error(usage) when ranks are on several nodes.
  void prepare(Op op, const plan::Plan& plan, Index nrhs) override;
  Index room(Op op) const override;
  SolveProfile run(Op op, Vectors<const T> b, Vectors<T> x, bool scaled) override;
  void panels_changed() override {}  // they are read where they are
  // Nothing but the times of phases is known, which are measured in any case.
  void record_in(Recorder* /*recorder*/) override {}

 private:
  // The program of an op, and the memory it runs in.
  struct Prepared {
    const plan::Plan* plan = nullptr;
    Index nrhs = 0;
    device::Program program;
    std::optional<transport::NodeMemory> memory;
    std::vector<device::PeMemory<device::NumberOf<T>>> memory_of;  // by rank
    std::optional<device::HostPe<T>> pe;
    std::unique_ptr<transport::Transport> transport;  // of b and x
    std::vector<plan::RankTraffic> traffic;           // by phase
    std::vector<double> begin;                        // of phases, in seconds; one more: of the end
  };
  void connect(Prepared& prepared) const;
  void work(Prepared& prepared, Index nrhs);
  // After workers have left early.
  [[noreturn]] void give_up(const Prepared& prepared) const;
  PhaseProfile bring(const Prepared& prepared, plan::VectorWay way, const Run<T>& run);
  void add_phases(const Prepared& prepared, Index nrhs, SolveProfile& done) const;

  RankSystem<T> system_;
  EngineOptions options_;
  VectorTransfers<T> vectors_;
  VectorScales<T> scales_;
  std::map<Op, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace trisweep::engine
