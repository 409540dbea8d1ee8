// A symmetric heap in a file without a name, which PEs of this process and of others map.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "nvshmemx.h"

namespace {

constexpr std::size_t bytes_of_pe = std::size_t{1}
                                    << 26;  // of addresses: pages that nobody touches are not there
constexpr std::size_t alignment = 256;

// At the beginning of the file, zero at first.
struct Meeting {
  std::atomic<unsigned> arrived, passed;
};

// The file as this process has it, at one place for all its PEs: to the thread sanitizer memory is what has
// the same address.
struct Mapping {
  Mapping(const std::string& file, int pes) : bytes(alignment + usize(pes) * bytes_of_pe) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return;
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (at != MAP_FAILED) memory = static_cast<std::byte*>(at);
  }
  ~Mapping() {
    if (memory != nullptr) munmap(memory, bytes);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  static std::size_t usize(int count) { return static_cast<std::size_t>(count); }
  Meeting& meeting() const { return *reinterpret_cast<Meeting*>(memory); }
  std::byte* of_pe(int pe) const { return memory + alignment + usize(pe) * bytes_of_pe; }

  std::size_t bytes;
  std::byte* memory = nullptr;
};

struct Pe {
  std::shared_ptr<const Mapping> mapping;
  int number = 0, count = 0;
  std::map<std::size_t, std::size_t> taken;            // offset of what is allocated, and its end
  std::map<const std::byte*, std::size_t> registered;  // and its bytes

  std::byte* here() const { return mapping->of_pe(number); }
  template <class V>
  V* at(V* symmetric, int pe) const {
    const auto offset = reinterpret_cast<std::byte*>(symmetric) - here();
    return reinterpret_cast<V*>(mapping->of_pe(pe) + offset);
  }
  bool may_put_from(const void* from, std::size_t bytes) const {
    const auto* const first = static_cast<const std::byte*>(from);
    if (first >= here() && first + bytes <= here() + bytes_of_pe) return true;
    const auto behind = registered.upper_bound(first);
    if (behind == registered.begin()) return false;
    const auto& [begin, size] = *std::prev(behind);
    return first + bytes <= begin + size;
  }
  void meet() const {
    Meeting& meeting = mapping->meeting();
    const unsigned turn = meeting.passed;
    if (++meeting.arrived == static_cast<unsigned>(count)) {
      meeting.arrived = 0;
      ++meeting.passed;
    }
    while (meeting.passed == turn) fake_cuda::pause();
  }
};

std::mutex mutex;
std::map<std::string, std::weak_ptr<const Mapping>> mappings;
std::map<int, std::unique_ptr<Pe>> pes;  // by device

Pe& pe_of(int device) {
  const std::lock_guard lock(mutex);
  return *pes.at(device);
}
Pe& of_host() {
  int device = 0;
  cudaGetDevice(&device);
  return pe_of(device);
}
Pe& of_kernel() {
  return pe_of(fake_cuda::device_of_block());
}

}  // namespace

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id) {
  const int descriptor = memfd_create("fake NVSHMEM", 0);
  std::snprintf(id->file.data(), id->file.size(), "/proc/%d/fd/%d", getpid(), descriptor);
  return descriptor < 0 ? 1 : 0;
}
int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const nvshmemx_uniqueid_t* id,
                                    nvshmemx_init_attr_t* attributes) {
  *attributes = {*id, pe, pes};
  return 0;
}
int nvshmemx_init_attr(unsigned /*flags*/, const nvshmemx_init_attr_t* attributes) {
  const std::string file(attributes->id.file.data());
  auto pe = std::make_unique<Pe>();
  pe->number = attributes->pe;
  pe->count = attributes->pes;
  int device = 0;
  cudaGetDevice(&device);
  const Pe& made = *pe;
  {
    const std::lock_guard lock(mutex);
    auto& mapping = mappings[file];
    pe->mapping = mapping.lock();
    if (pe->mapping == nullptr) mapping = pe->mapping = std::make_shared<const Mapping>(file, pe->count);
    if (pe->mapping->memory == nullptr) return 1;
    pes[device] = std::move(pe);
  }
  made.meet();
  return 0;
}
void nvshmem_finalize() {
  const std::lock_guard lock(mutex);
  int device = 0;
  cudaGetDevice(&device);
  pes.erase(device);
}
int nvshmem_n_pes() {
  return of_host().count;
}
void nvshmem_barrier_all() {
  of_host().meet();
}

// The first gap that is wide enough: the same one on all PEs, which ask for the same.
void* nvshmem_calloc(std::size_t count, std::size_t size) {
  Pe& pe = of_host();
  const std::size_t bytes = (count * size + alignment - 1) / alignment * alignment;
  std::size_t first = 0;
  for (const auto& [begin, end] : pe.taken) {
    if (first + bytes <= begin) break;
    first = end;
  }
  if (first + bytes > bytes_of_pe) return nullptr;
  pe.taken[first] = first + bytes;
  std::byte* const memory = pe.here() + first;
  std::memset(memory, 0, bytes);
  fake_cuda_adopt(memory, bytes);
  pe.meet();
  return memory;
}
void nvshmem_free(void* memory) {
  Pe& pe = of_host();
  cudaDeviceSynchronize();
  pe.meet();
  const auto found = pe.taken.find(static_cast<std::size_t>(static_cast<std::byte*>(memory) - pe.here()));
  fake_cuda::forget_scope(memory, found->second - found->first);
  fake_cuda_give_up(memory);
  pe.taken.erase(found);
}
void* nvshmem_ptr(const void* symmetric, int pe) {
  return of_host().at(static_cast<std::byte*>(const_cast<void*>(symmetric)), pe);
}
int nvshmemx_buffer_register(void* memory, std::size_t bytes) {
  of_host().registered[static_cast<const std::byte*>(memory)] = bytes;
  return 0;
}
int nvshmemx_buffer_unregister(void* memory) {
  of_host().registered.erase(static_cast<const std::byte*>(memory));
  return 0;
}
int nvshmemx_collective_launch(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments, shared, stream);
}
void nvshmemx_signal_op_on_stream(std::uint64_t* at, std::uint64_t value, int /*operation*/, int pe,
                                  cudaStream_t stream) {
  cudaMemcpyAsync(of_host().at(at, pe), &value, sizeof value, cudaMemcpyDefault, stream);
}

void nvshmemx_putmem_block(void* to, const void* from, std::size_t bytes, int pe) {
  using Word = std::uint32_t;
  const Pe& of = of_kernel();
  if (!of.may_put_from(from, bytes)) {
    std::fputs("fake NVSHMEM: a put from memory that is not registered\n", stderr);
    std::abort();
  }
  auto* const there = of.at(static_cast<Word*>(to), pe);
  for (std::size_t i = threadIdx.x; i < bytes / sizeof(Word); i += blockDim.x)
    there[i] = static_cast<const Word*>(from)[i];
}
void nvshmem_fence() {
  fake_cuda::fence(false);
}
void nvshmemx_signal_op(std::uint64_t* at, std::uint64_t value, int /*operation*/, int pe) {
  std::uint64_t* const there = of_kernel().at(at, pe);
  fake_cuda::check_scope(there, false);
  std::atomic_ref(*there).store(
      value, fake_cuda::is_fenced(false) ? std::memory_order_release : std::memory_order_relaxed);
}
int nvshmem_uint64_test(std::uint64_t* at, int /*comparison*/, std::uint64_t value) {
  fake_cuda::check_scope(at, false);
  return std::atomic_ref(*at).load(std::memory_order_acquire) >= value ? 1 : 0;
}
