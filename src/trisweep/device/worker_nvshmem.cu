// By NVSHMEM's device functions, which are linked to it.

#include "trisweep/backend/gpu/nvshmem_kernel.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

using trisweep::backend::NumberOf;
using namespace trisweep::device;

template <class Side, class N, int columns>
using Workers = RunWorkers<Side, N, HeapPeers<N>, columns>;

#define WORKERS(Side, T)                                   \
  TRISWEEP_SYMMETRIC_KERNEL(Workers<Side, NumberOf<T>, 1>) \
  TRISWEEP_SYMMETRIC_KERNEL(Workers<Side, NumberOf<T>, widest_tile>)
#define KERNELS(S, T)            \
  WORKERS(const NumberOf<S>*, T) \
  WORKERS(Pieces<NumberOf<S>>, T)
#define MEASURING(T) WORKERS(NoPanels, T)
TRISWEEP_FOR_EACH_STORAGE(KERNELS)
TRISWEEP_FOR_EACH_SCALAR(MEASURING)
