// By NVSHMEM's device functions, which are linked to it.

#include "trisweep/backend/gpu/nvshmem_kernel.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

using trisweep::backend::NumberOf;
using namespace trisweep::device;

template <class Side, class N>
using Workers = RunWorkers<Side, N, HeapPeers<N>>;

#define KERNELS(S, T)                                                 \
  TRISWEEP_SYMMETRIC_KERNEL(Workers<const NumberOf<S>*, NumberOf<T>>) \
  TRISWEEP_SYMMETRIC_KERNEL(Workers<Pieces<NumberOf<S>>, NumberOf<T>>)
TRISWEEP_FOR_EACH_STORAGE(KERNELS)
