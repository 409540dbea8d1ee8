#pragma once
// Keeps solves apart without a global barrier. Whatever a transport keeps for a phase (a communicator, a slot
// in a window) it keeps twice, for even and odd solves. That suffices because no rank is ever two solves
// ahead of another: the end of each solve starts a non-blocking barrier that only the end of the following
// solve waits for, usually long after its completion. The barrier is thus every rank's credit to all others:
// messages of the solve before the last have been consumed, and their memory may be written again. The bound
// depends neither on the mapping, nor on the trees, nor on how the parts of the matrix are connected.

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
  // Ends a solve. Collective, but waits for no rank that is still in the same solve.
  void close(Watchdog& watchdog);
  // Ends a solve of a transport that keeps solves apart itself.
  void advance() { ++epoch_; }
  // Waits until all ranks have reached the end of the last solve, or one has reported that it will not; at
  // most as long as that solve's watchdog allowed. For destructors.
  void drain() noexcept;

 private:
  const Communicator& comm_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  Offset epoch_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();  // of the watchdog passed to close()
};

}  // namespace trisweep::mpi
