#pragma once
#include <array>

#include "cuda_runtime.h"
#include "nvshmem.h"

inline constexpr unsigned NVSHMEMX_INIT_WITH_UNIQUEID = 8;

struct nvshmemx_uniqueid_t {
  std::array<char, 64> file;  // of the heap
};
struct nvshmemx_init_attr_t {
  nvshmemx_uniqueid_t id;
  int pe, pes;
};
#define NVSHMEMX_UNIQUEID_INITIALIZER \
  {}
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
  {}

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id);
int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const nvshmemx_uniqueid_t* id,
                                    nvshmemx_init_attr_t* attributes);
int nvshmemx_init_attr(unsigned flags, const nvshmemx_init_attr_t* attributes);
int nvshmemx_buffer_register(void* memory, std::size_t bytes);
int nvshmemx_buffer_unregister(void* memory);
int nvshmemx_collective_launch(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t shared, cudaStream_t stream);
void nvshmemx_signal_op_on_stream(std::uint64_t* at, std::uint64_t value, int operation, int pe,
                                  cudaStream_t stream);

// Of kernels. What a block puts is ordered before a later signal by a fence alone, and must come from the
// heap, or from memory that is registered.
void nvshmemx_putmem_block(void* to, const void* from, std::size_t bytes, int pe);
void nvshmemx_signal_op(std::uint64_t* at, std::uint64_t value, int operation, int pe);
