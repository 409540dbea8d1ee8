#pragma once
// Keeps solves apart without a global barrier. Whatever a transport has of a phase (a communicator, a slot in
// a window) it has twice, for even and odd solves. That suffices because no rank is ever two solves ahead:
// the end of each solve starts a non-blocking barrier that only the end of the following solve waits for, by
// which time it has long been passed. So it is every rank's credit to all others: what was sent in the solve
// before the last has been consumed, and its place may be written again. The bound does not depend on the
// mapping, the trees, or on how the parts of the matrix hang together.

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::mpi {

class Epochs {
 public:
  explicit Epochs(const Communicator& comm) : comm_(comm) {}
  ~Epochs() { drain(); }
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;

  Offset current() const { return epoch_; }
  Index parity() const { return static_cast<Index>(epoch_ % 2); }
  // Collective, without waiting for a rank that is in the same solve.
  void close(Watchdog& watchdog);
  // The same for a transport that keeps the ranks apart itself.
  void advance() { ++epoch_; }
  // Until all ranks have come to the end of the last solve, or one has said that it will not; no longer than
  // that solve would have waited. For destructors.
  void drain() noexcept;

 private:
  const Communicator& comm_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  Offset epoch_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();  // of the watchdog that it was closed with
};

}  // namespace trisweep::mpi
