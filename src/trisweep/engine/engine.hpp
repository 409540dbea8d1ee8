#pragma once
// Who runs the plans of a rank: an engine keeps the vectors, has the messages carried and multiplies. Whose
// blocks these are, and which plan, is decided before, and is the same for every engine.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/recorder.hpp"
#include "trisweep/engine/refinement.hpp"
#include "trisweep/engine/vector_moves.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::engine {

// The system of equations as one rank has it. Everything in it outlives the engine.
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

// native: the host engine's kernels; emulated: the GPU kernels' source, compiled for the CPU; or a GPU.
enum class Device { native, emulated, cuda, hip };
struct NamedDevice {
  std::string_view name;
  Device device;
  std::string_view former_name = {};  // still accepted
};
std::span<const NamedDevice> devices();
// By name or former name. Throws Error(usage) that lists the names.
Device find_device(std::string_view name);
std::string_view name_of(Device device);
// Throws Error(environment) when this build, or this machine, has none.
void require_device(Device device);
// Which of the machine's devices of that kind this thread computes on.
int place_of(Device device);

// How devices exchange what layers share, and vectors: by puts of their own (`puts`), or by messages that the
// host sends and receives between launches (`mpi`), from the device's memory where MPI takes it.
struct NamedExchangeBackend {
  std::string_view name;
  device::ExchangeBackend exchange_backend;
};
std::span<const NamedExchangeBackend> exchange_backends();
// Throws Error(usage) that lists the names there are.
device::ExchangeBackend find_exchange_backend(std::string_view name);
std::string_view name_of(device::ExchangeBackend exchange_backend);
// Why devices of these ranks put nothing to one another, with a remedy; empty when they do. Then all that
// ranks exchange is to be by messages: layers of one rank each have no other. Collective.
std::string obstacle_to_puts(Device device, const mpi::Communicator& comm);

struct EngineOptions {
  Device device = Device::native;
  std::optional<device::ExchangeBackend>
      exchange_backend{};  // nothing: puts where the devices of these ranks do so
  mpi::TransportFactory transport;
  double watchdog;  // as SolverOptions has it
};

// Collective: all ranks call the same methods in the same order with the same op and nrhs. Errors of
// prepare() are thrown on every rank alike. One of run() may be one rank's alone: who calls it does so inside
// mpi::revoke_on_error. When the communicator is revoked, the destructor waits for nothing, and leaves
// memory that messages may still be sent from, or written to, as it is.
template <Scalar T>
class Engine {
 public:
  virtual ~Engine() = default;

  // Makes room for `nrhs` right-hand sides, and a transport for the messages of `plan`, which outlives the
  // engine. Throws Error(usage) when the plans of two ranks do not match.
  virtual void prepare(Op op, const plan::Plan& plan, Index nrhs) = 0;
  // The right-hand sides that `op` is prepared for.
  virtual Index room(Op op) const = 0;
  // op(A) x = b with at most room(op) right-hand sides, as TriangularSolver::solve says; allocates nothing.
  // Returns what this rank did in each part; the seconds of the whole are the caller's to take.
  virtual SolveProfile run(Op op, Vectors<const T> b, Vectors<T> x, bool scaled) = 0;
  // The same with vectors that lie in rows, of Device::native.
  virtual SolveProfile run(Op /*op*/, const RowMajorVectors<T>& /*vectors*/) {
    throw Error(ErrorKind::usage, "devices take vectors in columns");
  }
  // The same in a stream of the device (null: its usual one), if there is a device: with b and x in its
  // memory this returns before the solve has ended, and only who waits for the stream, or calls run(), hears
  // of an error.
  virtual void start(Op op, Vectors<const T> b, Vectors<T> x, bool scaled, void* /*stream*/) {
    run(op, b, x, scaled);
  }
  // Whether b and x may be in a device's memory: that of the engine's own, which may be the host's.
  virtual bool reaches_device() const { return false; }
  // Between that memory and the host's, or within one of them. Waits.
  virtual void copy(Vectors<T> /*to*/, Vectors<const T> /*from*/) const {}

  // Refinement on the device for op, which is prepared, with at most `nrhs` right-hand sides; null where the
  // device is the processors. Collective. `of`: this rank's rows of op(A), without what is measured;
  // `columns` brings the caller's rows to their columns. Views are copied where the device has memory of its
  // own.
  virtual std::unique_ptr<Refinement<T>> refinement(Op /*op*/, const device::ResidualSystem<T>& /*of*/,
                                                    const plan::VectorPhase& /*columns*/, Index /*nrhs*/) {
    return nullptr;
  }

  // The panels have other numbers now, in another place.
  virtual void panels_changed() = 0;
  // From now on runs are recorded there; null: no longer.
  virtual void record_in(Recorder* recorder) = 0;
};

// The engine for this rank. Allocates, and does not communicate.
template <Scalar T>
std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>& system, const EngineOptions& options);

}  // namespace trisweep::engine
