#pragma once
// MPI in a Python process: whoever comes first initializes it, mpi4py or we, and the same ends it.

#include <mutex>

namespace trisweep::python {

// Initializes MPI for several threads if nobody has; the interpreter then finalizes it at its very end. With
// the GIL held. Throws Error(environment) when MPI has ended.
void require_mpi();

// To be held while calling MPI, without the GIL: empty where MPI serves several threads at once.
std::unique_lock<std::mutex> turn_at_mpi();

}  // namespace trisweep::python
