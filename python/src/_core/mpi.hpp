#pragma once
// MPI in a Python process: mpi4py or this package initializes it, whichever comes first, and finalizes it.

#include <mpi.h>

#include <mutex>
#include <optional>
#include <string>

namespace trisweep::python {

// Initializes MPI for several threads unless it is initialized; the interpreter then finalizes it at its very
// end. With the GIL held. Throws Error(environment) when MPI has ended.
void require_mpi();

// A communicator to make an object on, which duplicates it: that with this handle of Fortran's, or one of
// this process alone. MPI lets one thread at a time duplicate a communicator: no two objects of these have
// the same. While MPI is called, without the GIL.
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

// What MPI calls itself: two that differ have no communicators in common.
std::string mpi_library();

// To be held while calling MPI, without the GIL: empty where MPI serves several threads at once.
std::unique_lock<std::mutex> turn_at_mpi();

}  // namespace trisweep::python
