// Kernels that call NVSHMEM's device functions, and are linked to them.

#include <map>
#include <utility>

#include "trisweep/backend/gpu/nvshmem_kernel.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

using trisweep::backend::NumberOf;
using namespace trisweep::device;

namespace {

template <class Body>
std::pair<const std::type_index, const void*> kernel() {
  return {typeid(Body), trisweep::backend::kernel_of<Body>()};
}
template <class Side, class N, int columns>
using Workers = RunWorkers<Side, N, HeapPeers<N>, columns>;
template <class Side, class N>
using Items = RunItems<Side, N, HeapPeers<N>>;
template <class Side, class N>
using Messages = TakeMessages<Side, N, HeapPeers<N>>;

}  // namespace

#define WORKERS(Side, T) \
  kernel<Workers<Side, NumberOf<T>, 1>>(), kernel<Workers<Side, NumberOf<T>, widest_tile>>(),
#define KERNELS(S, T)             \
  WORKERS(const NumberOf<S>*, T)  \
  WORKERS(Pieces<NumberOf<S>>, T) \
  kernel<Items<const NumberOf<S>*, NumberOf<T>>>(), kernel<Messages<const NumberOf<S>*, NumberOf<T>>>(),
#define MEASURING(T) WORKERS(NoPanels, T)

const void* trisweep::backend::symmetric_kernel(std::type_index body) {
  static const std::map<std::type_index, const void*> kernels{TRISWEEP_FOR_EACH_STORAGE(KERNELS)
                                                                  TRISWEEP_FOR_EACH_SCALAR(MEASURING)};
  return kernels.at(body);
}
