#pragma once
// Kernels that put by NVSHMEM, whose headers take a minute to compile.

#include <nvshmem.h>
#include <nvshmemx.h>

#include <typeindex>

#include "trisweep/backend/kernel.hpp"
#include "trisweep/backend/symmetric_heap.hpp"

namespace trisweep::backend {

struct HeapPuts {
  // Called by all threads of a block.
  __device__ static void put(void* to, const void* from, std::size_t bytes, Index pe) {
    nvshmemx_putmem_block(to, from, bytes, pe);
  }
  // Called by one thread: signals sent after it arrive after what its block has put.
  __device__ static void fence() { nvshmem_fence(); }
  __device__ static void signal(Count* to, Count value, Index pe) {
    nvshmemx_signal_op(to, value, NVSHMEM_SIGNAL_SET, pe);
  }
  __device__ static bool has_come(Count* at, Count value) {
    return nvshmem_uint64_test(at, NVSHMEM_CMP_GE, value) != 0;
  }
};

// Returns the kernel of a body. Defined where all bodies are known (device/worker_nvshmem.cu).
const void* symmetric_kernel(std::type_index body);

}  // namespace trisweep::backend
