#pragma once
// An engine executes the plans of a rank: it holds the work vectors, exchanges the messages and applies the
// panels. Distribution and plan are chosen beforehand, and are the same for every engine.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/backend/device.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/distribution/distribution.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/engine/devices.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/recorder.hpp"
#include "trisweep/engine/refinement.hpp"
#include "trisweep/engine/vector_moves.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::engine {

// One rank's part of the linear system. Everything in it must outlive the engine.
template <Scalar T>
struct RankSystem {
  const mpi::Communicator& comm;
  ThreadPool& pool;
  const distribution::Distribution& distribution;
  const distribution::LocalBlocks& local_blocks;
  const PanelStore<T>& panels;
  const ordering::Ordering& ordering;
  const distribution::RowPartition& partition;  // of the caller's rows of b and x
};

struct EngineOptions {
  Device device = Device::native;
  std::optional<device::ExchangeBackend>
      exchange_backend{};  // unset: puts where the devices of these ranks support them
  mpi::TransportFactory transport;
  double watchdog;  // see TriangularSolverOptions
};

// Collective: all ranks call the same methods in the same order with the same op and nrhs. Errors of
// prepare() are thrown on every rank. An error of run() may occur on one rank alone: call it inside
// mpi::revoke_on_error. If the communicator is revoked, the destructor does not wait, and does not free
// memory that MPI may still access.
template <Scalar T>
class Engine {
 public:
  virtual ~Engine() = default;

  // Allocates for `nrhs` right-hand sides, and makes the transport for the messages of `plan`, which must
  // outlive the engine. Throws Error(usage) if the plans of two ranks do not match.
  virtual void prepare(const plan::Plan& plan, Index nrhs) = 0;
  // Number of right-hand sides that a plan is prepared for; 0 if it is not prepared.
  virtual Index room(const plan::Plan& plan) const = 0;
  // To be called before a prepared plan is destroyed, if the engine is used afterwards.
  virtual void forget(const plan::Plan& plan) = 0;
  // Runs a plan with at most room(plan) right-hand sides, as described for TriangularSolver::solve; allocates
  // nothing. Returns times and traffic of each part on this rank, without the total time. Row-major vectors
  // are for Device::native only.
  virtual SolveProfile run(const plan::Plan& plan, const CallersVectors<T>& vectors) = 0;
  // The same in a stream of the device (null: its default one): asynchronous when b and x are in GPU memory;
  // errors are then reported when the stream is waited for, or by the next run(). Synchronous except on a
  // GPU.
  virtual void start(const plan::Plan& plan, const CallersVectors<T>& vectors, void* /*stream*/) {
    run(plan, vectors);
  }
  // True if b and x may be in the memory of the engine's device (host memory for an emulated one).
  virtual bool reaches_device() const { return false; }
  // Copies between device and host memory, or within one of them. Synchronous.
  virtual void copy(Vectors<T> /*to*/, Vectors<const T> /*from*/) const {}

  // Refinement on the device by a prepared plan, with at most `nrhs` right-hand sides; null for
  // Device::native. Collective. `of`: this rank's rows of op(A), residual and magnitude unset; `columns`: the
  // exchange that gathers x for their columns. Views are copied to the device's own memory.
  virtual std::unique_ptr<Refinement<T>> refinement(const plan::Plan& /*plan*/,
                                                    const device::ResidualSystem<T>& /*of*/,
                                                    const plan::VectorPhase& /*columns*/, Index /*nrhs*/) {
    return nullptr;
  }

  // To be called when the panels have new values, at another address.
  virtual void panels_changed() = 0;
  // Records further runs in `recorder`; null: stops recording.
  virtual void record_in(Recorder* recorder) = 0;
};

// Makes the engine of this rank. Allocates, does not communicate.
template <Scalar T>
std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>& system, const EngineOptions& options);

}  // namespace trisweep::engine
