#include "trisweep/transport/node_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>
#include <system_error>

#include "trisweep/core/memory.hpp"

namespace trisweep::transport {
namespace {

[[noreturn]] void refuse(const char* call, int code) {
  throw Error(ErrorKind::environment,
              fmt::format("ranks of this node cannot share memory: {}: {}", call,
                          std::generic_category().message(code)),
              "use the two-sided transport");
}

class File {
 public:
  File() = default;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void open_with(int descriptor, const char* call) {
    if (descriptor < 0) refuse(call, errno);
    descriptor_ = descriptor;
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Where each rank's part begins, on pages of their own, so that they can be in its part of the machine.
std::vector<Offset> lay_out(const Communicator& node, std::size_t bytes) {
  const Offset page = sysconf(_SC_PAGESIZE);
  auto begin = node.gather((static_cast<Offset>(bytes) + page - 1) / page * page);
  node.broadcast(begin);
  begin.insert(begin.begin(), 0);
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

}  // namespace

// Rank 0's anonymous file, which the others open through its process and which lasts as long as anybody has
// it mapped. Each rank takes the pages of its part here, where that can still be refused.
NodeMemory::NodeMemory(const Communicator& node, std::size_t bytes) : begin_(lay_out(node, bytes)) {
  struct Place {
    pid_t process;
    int descriptor;
  };
  File file;
  collectively(node, [&] {
    if (node.rank() != 0) return;
    require_memory(usize(begin_.back()), "the messages between ranks");
    file.open_with(memfd_create("trisweep", MFD_CLOEXEC), "memfd_create");
    if (ftruncate(file.descriptor(), begin_.back()) != 0) refuse("ftruncate", errno);
  });
  Place place{getpid(), file.descriptor()};
  node.broadcast(place);
  collectively(node, [&] {
    if (node.rank() != 0) {
      const auto path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
      file.open_with(open(path.c_str(), O_RDWR | O_CLOEXEC), "open");
    }
    const Offset mine = begin_[usize(node.rank())], size = begin_[usize(node.rank()) + 1] - mine;
    if (const int code = size == 0 ? 0 : posix_fallocate(file.descriptor(), mine, size); code != 0)
      refuse("posix_fallocate", code);
    if (begin_.back() == 0) return;
    void* const memory =
        mmap(nullptr, usize(begin_.back()), PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
    if (memory == MAP_FAILED) refuse("mmap", errno);
    base_ = static_cast<std::byte*>(memory);
  });
}

NodeMemory::~NodeMemory() {
  if (base_ != nullptr) munmap(base_, usize(begin_.back()));
}

}  // namespace trisweep::transport
