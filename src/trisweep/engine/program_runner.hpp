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

// A program, connected to those of the other ranks, as one rank has it. Everything in it outlives the runner.
template <Scalar T>
struct RankProgram {
  const RankSystem<T>& system;
  const device::Program& program;
  Device device;
  Index nrhs;                                            // at most
  double watchdog;                                       // seconds
  CallersVectors<T> scales;                              // of the op's right-hand sides and solutions
  std::span<const device::SharedLayout> layouts;         // of all that the program knows, by PE
  const device::ResidualSystem<T>* measuring = nullptr;  // of a program that does so, which has no panels
  HostStagedExchange<T>* host_exchange = nullptr;        // of one that has stops
  const backend::SymmetricHeap* heap = nullptr;          // by which GPUs of several ranks put
};

template <Scalar T>
class ProgramRunner {
 public:
  // Collective. Ranks that put something to one another on an emulated device are on one node. Throws when
  // memory does not suffice.
  ProgramRunner(const mpi::Communicator& comm, const RankProgram<T>& of);

  // A solve, from b to x; in `stream`, where devices have such (null: their usual one). On a GPU it may
  // return before it has ended, when b and x are in the device's memory. Throws alone when this rank has
  // failed: Error(environment) that says what was waited for when nothing moved for too long.
  void start(const CallersVectors<T>& vectors, void* stream);
  // Until all that was started there has ended: there is one wait for each start(). Throws as start().
  void wait(void* stream);
  // Throws as start(), when something behind the last solve in the stream was waited for.
  void confirm();
  // See LocalPe; of a solve that was waited for.
  std::span<const device::Count> times() const { return pes_->pe().times(); }
  std::span<const T> norms() const { return pes_->pe().norms(); }
  void panels_changed();

 private:
  // The memory that this rank reaches, by PE; none where ranks put nothing. Collective.
  std::vector<device::PeMemory<device::NumberOf<T>>> share_memory();
  // Seconds; 0: never. Always finite on a GPU.
  double watchdog() const;
  // Until all in the stream has ended, to which nothing but looks belongs.
  void await(void* stream) const;
  // After workers have left early.
  [[noreturn]] void give_up() const;

  const mpi::Communicator& comm_;
  RankProgram<T> of_;
  std::optional<mpi::NodeMemory> node_memory_;
  std::shared_ptr<std::byte> heap_memory_;
  std::optional<device::LocalPes<T>> pes_;
  bool is_under_way_ = false;
};

// A program, and what runs it.
template <Scalar T>
struct RunningProgram {
  device::Program program;
  std::vector<device::SharedLayout> layouts{};  // by PE; none where ranks put nothing to one another
  std::unique_ptr<HostStagedExchange<T>> host_exchange{};
  std::unique_ptr<ProgramRunner<T>> runner{};
};

// Deals the GPUs of a node out to its ranks, where there are several: each has a current one. Collective.
void deal_out_gpus(Device device, const mpi::Communicator& comm);
// What the GPUs of several ranks put by, for as long as programs run on them. Collective.
std::shared_ptr<backend::SymmetricHeap> join_gpus(const mpi::Communicator& comm);

}  // namespace trisweep::engine
