#pragma once
// Memory that lies at the same place for all PEs of several processes, each with a device of its own, whose
// kernels put values and signals into that of the others: NVSHMEM, within a node and between nodes.

#include <array>
#include <cstddef>
#include <memory>
#include <typeindex>

#include "trisweep/core/types.hpp"

namespace trisweep::backend {

class SymmetricHeap {
 public:
  virtual ~SymmetricHeap() = default;
  // Zeroed, of as many bytes for every PE. Collective, and so is freeing it.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) const = 0;
  // Where kernels of this device load and store what PE `pe` has at `address`, one of this PE's. Throws
  // Error(environment) where they do not reach it, as between nodes.
  virtual std::byte* reached(std::byte* address, Index pe) const = 0;
  virtual void barrier() const = 0;
  // While it is held, puts to other nodes may read from that memory of the device, which is not the heap's.
  virtual std::shared_ptr<void> make_source(void* memory, std::size_t bytes) const = 0;
  // That of a body whose peers put into the heap.
  virtual const void* kernel_of(std::type_index body) const = 0;
  // A kernel of all PEs, whose blocks are all resident.
  virtual void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments,
                      void* stream) const = 0;
  // Sets a word of every PE, in a stream.
  virtual void set_everywhere(std::uint64_t* word, std::uint64_t value, void* stream) const = 0;
};

// What processes must have in common to find each other: one of them makes it, and tells the others.
using HeapId = std::array<std::byte, 128>;
// Whether this program has such a heap: what is linked says so, since NVSHMEM is large and a program of one
// process has no use for it. Without one the following are not called.
bool has_symmetric_heap();
HeapId make_heap_id();
// Of this process, on its current device. Collective; there is one at a time. Throws Error(environment) when
// there is no device.
std::shared_ptr<SymmetricHeap> join_symmetric_heap(const HeapId& id, Index rank, Index ranks);

// What kernels call of it: known to the compiler of such kernels only.
struct HeapPuts;

}  // namespace trisweep::backend
