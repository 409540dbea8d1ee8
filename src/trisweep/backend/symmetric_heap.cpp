#include "trisweep/backend/symmetric_heap.hpp"

namespace trisweep::backend {

#if defined(TRISWEEP_NVSHMEM)
bool has_symmetric_heap() {
  return true;
}
#else
bool has_symmetric_heap() {
  return false;
}
HeapId make_heap_id() {
  return {};
}
std::shared_ptr<SymmetricHeap> join_symmetric_heap(const HeapId& /*id*/, Index /*rank*/, Index /*ranks*/) {
  return nullptr;
}
#endif

}  // namespace trisweep::backend
