#include "trisweep/core/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "trisweep/core/cache_line.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t slack = 256;  // see buffer.hpp

constexpr std::size_t least_mapped = huge_page;  // smaller buffers are not worth the system calls

std::size_t alignment_of(std::size_t bytes) {
  return bytes >= huge_page ? huge_page : cache_line;
}
std::size_t rounded(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  return (bytes + slack + alignment - 1) / alignment * alignment;
}

// Maps `bytes` aligned to a huge page; null if there is not enough memory.
void* map(std::size_t bytes) {
  const std::size_t with_room = bytes + huge_page;
  void* const all = mmap(nullptr, with_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(all);
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(all) % huge_page) % huge_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, huge_page - before);
  return begin + before;
}

void* usable(void* memory, std::size_t bytes, const char* what) {
  if (memory == nullptr) {
    throw Error(ErrorKind::environment,
                fmt::format("not enough memory for {}: {:.3g} GiB", what, double(bytes) / (1 << 30)),
                "use more ranks on more nodes, single precision, or a smaller problem");
  }
  // Advice only: without huge pages the buffer works all the same.
  if (bytes >= huge_page) madvise(memory, rounded(bytes), MADV_HUGEPAGE);
  std::memset(static_cast<char*>(memory) + bytes, 0, slack);
  return memory;
}

}  // namespace

void* allocate_aligned(std::size_t bytes, const char* what) {
  const bool too_large = rounded(bytes) < bytes;
  return usable(too_large ? nullptr : std::aligned_alloc(alignment_of(bytes), rounded(bytes)), bytes, what);
}

void* allocate_temporary(std::size_t bytes, const char* what) {
  if (bytes < least_mapped || rounded(bytes) < bytes) return allocate_aligned(bytes, what);
  return usable(map(rounded(bytes)), bytes, what);
}

void free_temporary(void* memory, std::size_t bytes) {
  if (bytes < least_mapped) return std::free(memory);
  munmap(memory, rounded(bytes));
}

void discard_pages(void* begin, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  const std::size_t whole = bytes < before ? 0 : (bytes - before) / page * page;
  if (whole > 0) madvise(static_cast<std::byte*>(begin) + before, whole, MADV_DONTNEED);
}

}  // namespace trisweep
