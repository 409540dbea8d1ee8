#pragma once
// MPI in a Python process: mpi4py or this package, whichever comes first, initializes and later finalizes it.

#include <mpi.h>
#include <nanobind/nanobind.h>

#include <mutex>
#include <optional>
#include <string>

namespace trisweep::python {

namespace nb = nanobind;

// Initializes MPI for several threads unless it is initialized already; it is then finalized when the
// interpreter exits. Called with the GIL held. Throws Error(environment) when MPI has been finalized.
void require_mpi();

// A communicator to construct an object on, which duplicates it: the one with this Fortran handle, or one of
// this process alone. Only one thread at a time may duplicate a communicator, so no two Parents of a process
// alone share one. To be used where MPI may be called (MpiTurn), without the GIL.
class Parent {
 public:
  explicit Parent(std::optional<int> handle);
  ~Parent();
  Parent(const Parent&) = delete;
  Parent& operator=(const Parent&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
  bool is_ours_;
};

// The version string of the MPI library: libraries that differ in it cannot share communicators.
std::string mpi_library();

// A lock to hold while calling MPI, without the GIL: of nothing if MPI supports MPI_THREAD_MULTIPLE.
class MpiTurn {
 public:
  // Throws Error(usage) if is_within_turn(), which would wait for itself.
  MpiTurn();
  ~MpiTurn();
  MpiTurn(const MpiTurn&) = delete;
  MpiTurn& operator=(const MpiTurn&) = delete;

 private:
  bool is_held_;
};

// Marks the calling thread as running a Python function, while another thread waits for it with the lock.
class Callback {
 public:
  Callback();
  ~Callback();
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
};

// True if the calling thread has the lock, or runs a Callback.
bool is_within_turn();

// Calls free(), which frees objects of MPI, with the lock. In a destructor, with the GIL.
template <class Free>
void free_in_turn(const Free& free) {
  if (is_within_turn()) return free();  // the holder waits for this thread, and the GIL for others
  const nb::gil_scoped_release others_run;
  const MpiTurn turn;
  free();
}

}  // namespace trisweep::python
