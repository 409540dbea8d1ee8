// For programs without NVSHMEM; those with it link backend/gpu/nvshmem.cu instead.

#include "trisweep/backend/symmetric_heap.hpp"

namespace trisweep::backend {

bool has_symmetric_heap() {
  return false;
}
HeapId make_heap_id() {
  return {};
}
std::shared_ptr<SymmetricHeap> join_symmetric_heap(const HeapId& /*id*/, Index /*rank*/, Index /*ranks*/) {
  return nullptr;
}

}  // namespace trisweep::backend
