#pragma once

namespace trisweep::mpi {

// True if MPI reports that it can send from, and receive into, the memory of GPUs. False for an MPI that
// offers no such query: trying could end the process.
bool takes_gpu_memory();

}  // namespace trisweep::mpi
