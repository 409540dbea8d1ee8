// The host side of NVSHMEM.

#include <cuda_runtime.h>

#include <cstring>
#include <string>

#include "trisweep/backend/gpu/nvshmem_kernel.hpp"
#include "trisweep/backend/gpu/runtime.hpp"
#include "trisweep/backend/symmetric_heap.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::backend {
namespace {

void check_nvshmem(int status, const char* call) {
  if (status != 0)
    throw Error(ErrorKind::environment, std::string(call) + ": NVSHMEM error " + std::to_string(status));
}

class Nvshmem final : public SymmetricHeap {
 public:
  Nvshmem(const HeapId& bytes, Index rank, Index ranks) {
    if (gpu_runtime().count() == 0)  // NVSHMEM would end the process
      throw Error(ErrorKind::environment, "there is no GPU");
    static_assert(sizeof(nvshmemx_uniqueid_t) <= sizeof(HeapId));
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    std::memcpy(&id, bytes.data(), sizeof id);
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    check_nvshmem(nvshmemx_set_attr_uniqueid_args(rank, ranks, &id, &attributes),
                  "nvshmemx_set_attr_uniqueid_args");
    check_nvshmem(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes), "nvshmemx_init_attr");
  }
  ~Nvshmem() override { nvshmem_finalize(); }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) const override {
    void* const memory = nvshmem_calloc(1, bytes);
    if (memory == nullptr)
      throw Error(ErrorKind::environment, "the symmetric heap has no room for the right-hand sides",
                  "set NVSHMEM_SYMMETRIC_SIZE to more bytes, or solve for fewer at a time");
    return {static_cast<std::byte*>(memory), [](std::byte* of) { nvshmem_free(of); }};
  }
  std::byte* reached(std::byte* address, Index pe) const override {
    if (void* const there = nvshmem_ptr(address, pe)) return static_cast<std::byte*>(there);
    throw Error(ErrorKind::environment, "a GPU does not reach the memory of PE " + std::to_string(pe),
                "use GPUs of one node that are peers of each other");
  }
  void barrier() const override { nvshmem_barrier_all(); }
  std::shared_ptr<void> make_source(void* memory, std::size_t bytes) const override {
    check_nvshmem(nvshmemx_buffer_register(memory, bytes), "nvshmemx_buffer_register");
    return {memory, [](void* of) { nvshmemx_buffer_unregister(of); }};
  }
  const void* kernel_of(std::type_index body) const override { return symmetric_kernel(body); }
  void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments,
              void* stream) const override {
    check_nvshmem(nvshmemx_collective_launch(kernel, dim3(blocks), dim3(threads), arguments, 0,
                                             static_cast<cudaStream_t>(stream)),
                  "launching the kernel");
  }
  void set_everywhere(std::uint64_t* word, std::uint64_t value, void* stream) const override {
    for (int p = 0; p < nvshmem_n_pes(); ++p)
      nvshmemx_signal_op_on_stream(word, value, NVSHMEM_SIGNAL_SET, p, static_cast<cudaStream_t>(stream));
  }
};

}  // namespace

bool has_symmetric_heap() {
  return true;
}

HeapId make_heap_id() {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check_nvshmem(nvshmemx_get_uniqueid(&id), "nvshmemx_get_uniqueid");
  HeapId bytes{};
  std::memcpy(bytes.data(), &id, sizeof id);
  return bytes;
}

std::shared_ptr<SymmetricHeap> join_symmetric_heap(const HeapId& id, Index rank, Index ranks) {
  return std::make_shared<Nvshmem>(id, rank, ranks);
}

}  // namespace trisweep::backend
