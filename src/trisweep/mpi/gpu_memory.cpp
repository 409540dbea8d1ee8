#include "trisweep/mpi/gpu_memory.hpp"

#include <mpi.h>

#include <initializer_list>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace trisweep::mpi {

bool takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (MPIX_Query_cuda_support() == 1) return true;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  if (MPIX_Query_rocm_support() == 1) return true;
#endif
#if defined(MPIX_GPU_SUPPORT_CUDA)
  for (const int kind : {MPIX_GPU_SUPPORT_CUDA, MPIX_GPU_SUPPORT_HIP}) {
    int takes = 0;
    if (MPIX_GPU_query_support(kind, &takes) == MPI_SUCCESS && takes != 0) return true;
  }
#endif
  return false;
}

}  // namespace trisweep::mpi
