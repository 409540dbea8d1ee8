#pragma once
// Runs the program of a rank wherever that computes: all that a DeviceEngine leaves to the kind of device.

#include "trisweep/device/residual.hpp"
#include "trisweep/device/shared_layout.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/host_staged_exchange.hpp"
#include "trisweep/engine/vector_moves.hpp"

namespace trisweep::engine {

// A program, connected to those of the other ranks, as one rank has it. Everything in it outlives the runner.
template <Scalar T>
struct RankProgram {
  const RankSystem<T>& system;
  device::Program& program;
  Index nrhs;                                            // at most
  double watchdog;                                       // seconds
  CallersVectors<T> scales;                              // of the op's right-hand sides and solutions
  std::span<const device::SharedLayout> layouts;         // of all that put something to one another, by PE
  const device::ResidualSystem<T>* measuring = nullptr;  // of a program that does so, which has no panels
  HostStagedExchange<T>* host_exchange = nullptr;        // of one that has stops
};

template <Scalar T>
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;

  // A solve, from b to x; in `stream`, where devices have such (null: their usual one). May return before it
  // has ended, when b and x are in the device's memory. Throws alone when this rank has failed.
  virtual void start(const CallersVectors<T>& vectors, void* stream) = 0;
  // Until all that was started there has ended. Throws Error(environment) that says what was waited for when
  // nothing moved for too long.
  virtual void wait(void* stream) = 0;
  // When the phases of the last solve began, and behind them its end: nanoseconds, 0 for one without items.
  virtual std::span<const device::Count> times() const = 0;
  // Work rows, which lie one after another, from the entry `first` on, behind what is in the stream.
  virtual void read_rows(std::size_t first, std::span<T> values, void* stream) const = 0;
  virtual void panels_changed() = 0;
};

// A program, and what runs it.
template <Scalar T>
struct RunningProgram {
  device::Program program;
  std::vector<device::SharedLayout> layouts{};  // by PE
  std::unique_ptr<HostStagedExchange<T>> host_exchange{};
  std::unique_ptr<ProgramRunner<T>> runner{};
};

// On threads of the host. Collective. Ranks that put something to one another are on one node.
template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_host(const RankProgram<T>& of);

// On the current GPU of this process. Collective. Throws when memory does not suffice.
template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_gpu(const RankProgram<T>& of);
// Throws Error(environment) unless this build has the kernels of the kind of GPU, and the machine such a one.
void require_gpu(Device device);
// Whether GPUs of several ranks put anything to one another in this build: by NVSHMEM.
bool gpus_put();
// Its number.
int current_gpu();
// Zeroed memory of that GPU.
std::shared_ptr<std::byte> gpu_memory(std::size_t bytes);
// Deals the GPUs of a node out to its ranks, where there are several: each has a current one. Collective.
void deal_out_gpus(const mpi::Communicator& comm);
// What the GPUs of several ranks put by, for as long as programs run on them. Collective.
std::shared_ptr<void> join_gpus(const mpi::Communicator& comm);

}  // namespace trisweep::engine
