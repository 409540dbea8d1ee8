#pragma once
// NVSHMEM without a GPU, as far as this project uses it. A PE is a device of a process: PEs of one process,
// which the thread sanitizer follows, as well as those of several processes of a node.

#include <cstddef>
#include <cstdint>

inline constexpr int NVSHMEM_SIGNAL_SET = 9, NVSHMEM_CMP_GE = 3;

// Of the PE of the calling thread's current device. Collective.
void* nvshmem_calloc(std::size_t count, std::size_t size);
void nvshmem_free(void* memory);
void* nvshmem_ptr(const void* symmetric, int pe);
void nvshmem_barrier_all();
void nvshmem_finalize();
int nvshmem_n_pes();

// Of kernels.
void nvshmem_fence();
int nvshmem_uint64_test(std::uint64_t* at, int comparison, std::uint64_t value);
