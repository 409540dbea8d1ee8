#include "trisweep/core/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

#include "trisweep/core/cache_line.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t slack = 256;  // see buffer.hpp
}  // namespace

void* allocate_aligned(std::size_t bytes, const char* what) {
  const std::size_t alignment = bytes >= huge_page ? huge_page : cache_line;
  const std::size_t rounded = (bytes + slack + alignment - 1) / alignment * alignment;
  void* memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw Error(ErrorKind::environment,
                fmt::format("not enough memory for {}: {:.3g} GiB", what, double(bytes) / (1 << 30)),
                "use more ranks on more nodes, single precision, or a smaller problem");
  }
  // Advice only: where the kernel has no huge pages the buffer works all the same.
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(static_cast<char*>(memory) + bytes, 0, slack);
  return memory;
}

}  // namespace trisweep
