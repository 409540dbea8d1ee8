#include "trisweep/mpi/node_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <numeric>
#include <system_error>

#include "trisweep/core/memory.hpp"

namespace trisweep::mpi {
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

// Offset of each rank's part. Parts do not share pages, so that each can lie in its rank's memory domain.
std::vector<Offset> lay_out(const Communicator& node, std::size_t bytes, Offset page) {
  const auto sizes = node.gather((static_cast<Offset>(bytes) + page - 1) / page * page);
  std::vector<Offset> begin;
  agree_on_error(node, [&] {
    begin.resize(usize(node.size()) + 1);
    std::partial_sum(sizes.begin(), sizes.end(), begin.begin() + 1);
  });
  node.broadcast(begin);
  return begin;
}

// How other ranks find rank 0's file. They check its inode and secret, since in a process namespace of their
// own the same process and descriptor may lead to another file.
struct Place {
  pid_t process;
  int descriptor;
  dev_t device;
  ino_t inode;
  std::uint64_t secret;  // written at the end of the file
};

Place describe(const File& file, Offset size) {
  Place place{getpid(), file.descriptor(), 0, 0, 0};
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) refuse("fstat", errno);
  place.device = status.st_dev;
  place.inode = status.st_ino;
  if (getrandom(&place.secret, sizeof place.secret, 0) != sizeof place.secret) refuse("getrandom", errno);
  if (pwrite(file.descriptor(), &place.secret, sizeof place.secret, size) != sizeof place.secret)
    refuse("pwrite", errno);
  return place;
}

// The path is checked before it is opened, since opening some other file could have side effects.
void open_place(File& file, const Place& place, Offset size) {
  const auto path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse("stat", errno);
  if (status.st_dev != place.device || status.st_ino != place.inode) refuse("another file", ESTALE);
  file.open_with(open(path.c_str(), O_RDWR | O_CLOEXEC), "open");
  std::uint64_t secret = 0;
  if (pread(file.descriptor(), &secret, sizeof secret, size) != sizeof secret || secret != place.secret)
    refuse("another file", ESTALE);
}

}  // namespace

// The memory is an anonymous file of rank 0, which the others open through rank 0's process and which lasts
// while any rank has it mapped. Each rank allocates the pages of its part here, where failure can still be
// reported.
NodeMemory::NodeMemory(const Communicator& node, std::size_t bytes, Offset page)
    : begin_(lay_out(node, bytes, page)) {
  const Offset all = begin_.back();
  File file;
  Place place = agree_on_error(node, [&]() -> Place {
    if (node.rank() != 0) return {};
    require_memory(usize(all), "the messages between ranks");
    file.open_with(memfd_create("trisweep", MFD_CLOEXEC), "memfd_create");
    if (ftruncate(file.descriptor(), all) != 0) refuse("ftruncate", errno);
    return describe(file, all);
  });
  node.broadcast(place);
  agree_on_error(node, [&] {
    if (node.rank() != 0) open_place(file, place, all);
    const Offset mine = begin_[usize(node.rank())], size = begin_[usize(node.rank()) + 1] - mine;
    if (const int code = size == 0 ? 0 : posix_fallocate(file.descriptor(), mine, size); code != 0)
      refuse("posix_fallocate", code);
    if (all == 0) return;
    void* const memory = mmap(nullptr, usize(all), PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
    if (memory == MAP_FAILED) refuse("mmap", errno);
    base_ = {static_cast<std::byte*>(memory), Unmap{usize(all)}};
  });
}

Offset NodeMemory::page_of_machine() {
  return sysconf(_SC_PAGESIZE);
}

void NodeMemory::Unmap::operator()(std::byte* base) const {
  munmap(base, bytes);
}

}  // namespace trisweep::mpi
