#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

using trisweep::backend::NumberOf;
using namespace trisweep::device;

template <class Side, class N, int columns>
using Workers = RunWorkers<Side, N, DirectPeers<N>, columns>;
template <class Side, class N>
using Items = RunItems<Side, N, DirectPeers<N>>;

#define WORKERS(Side, T)                         \
  TRISWEEP_KERNEL(Workers<Side, NumberOf<T>, 1>) \
  TRISWEEP_KERNEL(Workers<Side, NumberOf<T>, widest_tile>)
#define KERNELS(S, T)             \
  WORKERS(const NumberOf<S>*, T)  \
  WORKERS(Pieces<NumberOf<S>>, T) \
  TRISWEEP_KERNEL(Items<const NumberOf<S>*, NumberOf<T>>)
#define MEASURING(T) WORKERS(NoPanels, T)
TRISWEEP_FOR_EACH_STORAGE(KERNELS)
TRISWEEP_FOR_EACH_SCALAR(MEASURING)
