#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep {

template <class Side, class T, int columns>
using Workers =
    device::RunWorkers<Side, backend::NumberOf<T>, device::DirectPeers<backend::NumberOf<T>>, columns>;
template <class Side, class T>
using Items = device::RunItems<Side, backend::NumberOf<T>, device::DirectPeers<backend::NumberOf<T>>>;
template <class Side, class T>
using Messages = device::TakeMessages<Side, backend::NumberOf<T>, device::DirectPeers<backend::NumberOf<T>>>;

#define TRISWEEP_WORKERS(Side, T)      \
  TRISWEEP_KERNEL(Workers<Side, T, 1>) \
  TRISWEEP_KERNEL(Workers<Side, T, device::widest_tile>)
#define INSTANTIATE(S, T)                                   \
  TRISWEEP_WORKERS(const backend::NumberOf<S>*, T)          \
  TRISWEEP_WORKERS(device::Pieces<backend::NumberOf<S>>, T) \
  TRISWEEP_KERNEL(Items<const backend::NumberOf<S>*, T>)    \
  TRISWEEP_KERNEL(Messages<const backend::NumberOf<S>*, T>)
#define TRISWEEP_MEASURING(T) TRISWEEP_WORKERS(device::NoPanels, T)
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_MEASURING)

}  // namespace trisweep
