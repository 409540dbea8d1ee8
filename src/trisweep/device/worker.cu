#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

using trisweep::backend::NumberOf;
using namespace trisweep::device;

template <class Side, class N>
using Workers = RunWorkers<Side, N, DirectPeers<N>>;
template <class Side, class N>
using Items = RunItems<Side, N, DirectPeers<N>>;

#define KERNELS(S, T)                                        \
  TRISWEEP_KERNEL(Workers<const NumberOf<S>*, NumberOf<T>>)  \
  TRISWEEP_KERNEL(Workers<Pieces<NumberOf<S>>, NumberOf<T>>) \
  TRISWEEP_KERNEL(Items<const NumberOf<S>*, NumberOf<T>>)
TRISWEEP_FOR_EACH_STORAGE(KERNELS)
