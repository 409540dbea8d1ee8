#pragma once
// Runs the program of a rank on its device: on a GPU, or on the threads of the rank that emulate one.

#include <memory>
#include <optional>

#include "trisweep/device/local_pes.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/host_staged_exchange.hpp"
#include "trisweep/engine/vector_moves.hpp"
#include "trisweep/mpi/node_memory.hpp"

namespace trisweep::engine {

// A program, connected to those of the other ranks, with the arguments of its runner. Everything in it must
// outlive the runner.
template <Scalar T>
struct RankProgram {
  const RankSystem<T>& system;
  const device::Program& program;
  Device device;
  Index nrhs;                                            // largest number of right-hand sides
  double watchdog;                                       // seconds
  CallersVectors<T> scales;                              // of right-hand sides and solutions
  std::span<const device::SharedLayout> layouts;         // by PE, of all PEs that the program knows
  const device::ResidualSystem<T>* measuring = nullptr;  // for a program that measures residuals
  HostStagedExchange<T>* host_exchange = nullptr;        // for a program with launch boundaries
  const backend::SymmetricHeap* heap = nullptr;          // to which GPUs of several ranks put
};

template <Scalar T>
class ProgramRunner {
 public:
  // Collective. Ranks that put messages to one another on an emulated device must be on one node. Throws if
  // memory does not suffice.
  ProgramRunner(const mpi::Communicator& comm, const RankProgram<T>& of);

  // Starts a solve, from b to x, in `stream` (null: the device's default one). On a GPU it may return before
  // the solve has ended, if b and x are in the device's memory. Throws on this rank alone if the solve has
  // failed here: Error(environment), which names what was waited for, after too long without progress.
  void start(const CallersVectors<T>& vectors, void* stream);
  // Waits until all that was started in the stream has ended: one wait for each start(). Throws as start().
  void wait(void* stream);
  // Instead of wait(), after later work in the stream was waited for. Throws as start().
  void confirm();
  // See LocalPe; valid after a solve that was waited for.
  std::span<const device::Count> times() const { return pes_->pe().times(); }
  std::span<const T> norms() const { return pes_->pe().norms(); }
  void panels_changed();

 private:
  // The memory that this rank can access, by PE; empty if ranks put no messages. Collective.
  std::vector<device::PeMemory<device::NumberOf<T>>> share_memory();
  // Seconds; 0: never. Always finite on a GPU.
  double watchdog() const;
  // Polls until all work in the stream has ended.
  void await(void* stream) const;
  // Throws the error for which workers have left early.
  [[noreturn]] void give_up() const;

  const mpi::Communicator& comm_;
  RankProgram<T> of_;
  std::optional<mpi::NodeMemory> node_memory_;
  std::shared_ptr<std::byte> heap_memory_;
  std::optional<device::LocalPes<T>> pes_;
  bool is_under_way_ = false;
};

// A program and its runner.
template <Scalar T>
struct RunningProgram {
  device::Program program;
  std::vector<device::SharedLayout> layouts{};  // by PE; empty if ranks put no messages to one another
  std::unique_ptr<HostStagedExchange<T>> host_exchange{};
  std::unique_ptr<ProgramRunner<T>> runner{};
};

// If there are several ranks, assigns each a GPU of its node as the current device. Collective.
void deal_out_gpus(Device device, const mpi::Communicator& comm);
// The heap to which GPUs of several ranks put, to be kept while programs run on them. Collective.
std::shared_ptr<backend::SymmetricHeap> join_gpus(const mpi::Communicator& comm);

}  // namespace trisweep::engine
