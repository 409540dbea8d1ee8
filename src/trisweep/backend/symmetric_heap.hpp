#pragma once
// Memory that has the same layout on all PEs of several processes with one device each. Kernels put values
// and signals into the memory of other PEs: by NVSHMEM, within a node and between nodes.

#include <array>
#include <cstddef>
#include <memory>
#include <typeindex>

#include "trisweep/core/types.hpp"

namespace trisweep::backend {

class SymmetricHeap {
 public:
  virtual ~SymmetricHeap() = default;
  // Zeroed memory of `bytes` bytes on every PE. Collective, as is freeing it.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) const = 0;
  // Address at which kernels of this device load and store PE `pe`'s copy of `address`, which is an address
  // of this PE. Throws Error(environment) if they cannot access it, as between nodes.
  virtual std::byte* reached(std::byte* address, Index pe) const = 0;
  virtual void barrier() const = 0;
  // While the result is held, puts to other nodes may read from this device memory, which is not part of the
  // heap.
  virtual std::shared_ptr<void> make_source(void* memory, std::size_t bytes) const = 0;
  // The kernel of a body whose peers put into the heap.
  virtual const void* kernel_of(std::type_index body) const = 0;
  // Launches a kernel on all PEs, with all blocks resident.
  virtual void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments,
                      void* stream) const = 0;
  // Sets a word on every PE, in a stream.
  virtual void set_everywhere(std::uint64_t* word, std::uint64_t value, void* stream) const = 0;
};

// Identifier by which processes find each other: one process makes it and sends it to the others.
using HeapId = std::array<std::byte, 128>;
// True if this program has a symmetric heap. The linked libraries decide, since NVSHMEM is large and useless
// to a program of one process. If false, the functions below are not called.
bool has_symmetric_heap();
HeapId make_heap_id();
// The heap of this process, on its current device. Collective; only one may exist at a time. Throws
// Error(environment) if there is no device.
std::shared_ptr<SymmetricHeap> join_symmetric_heap(const HeapId& id, Index rank, Index ranks);

// The functions of the heap that kernels call; defined for the compiler of such kernels only.
struct HeapPuts;

}  // namespace trisweep::backend
