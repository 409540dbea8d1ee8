#pragma once

namespace trisweep::mpi {

// Whether MPI sends from, and receives into, the memory of GPUs, as it says itself. Of an MPI that cannot be
// asked nothing is known, and it is not tried: that may end the process.
bool takes_gpu_memory();

}  // namespace trisweep::mpi
