#pragma once
// The exchange backend `mpi`: messages between the launches of a device's program (shared segments, vectors,
// residual norms of several ranks), sent and received by the host: directly from and to device memory where
// MPI is GPU-aware, else staged in host memory. Two-sided MPI; messages are numbered as in the program's
// phases, all of which it opens in order.

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/make_program.hpp"
#include "trisweep/engine/engine.hpp"

namespace trisweep::engine {

template <Scalar T>
class HostStagedExchange {
 public:
  // For at most `nrhs` right-hand sides. Collective; `comm` and `program` must outlive this object.
  HostStagedExchange(const mpi::Communicator& comm, const device::Program& program, Index nrhs,
                     const EngineOptions& options);

  // The work rows of the device in a solve with `nrhs` right-hand sides.
  struct At {
    T* rows;
    Index nrhs;
    void* stream;
  };
  // Exchanges the messages of a launch boundary, while nothing runs on the device. Throws as Watchdog does.
  void exchange(const device::LaunchBoundary& boundary, const At& at);
  // To be called after the last boundary of a solve: all sends are complete when it returns.
  void close();

 private:
  void open(Index phase);
  void receive(const device::StagedMessage& staged_message, std::span<T> packed);

  const device::Program& program_;
  Index me_;
  Device device_;
  Index phases_;
  bool is_direct_;
  Buffer<T> packed_;               // in host memory; unused if is_direct_
  std::vector<Offset> first_row_;  // by message: its first row in packed_
  mpi::Watchdog watchdog_;
  std::unique_ptr<mpi::Transport> transport_;
  Index open_ = -1;
};

}  // namespace trisweep::engine
