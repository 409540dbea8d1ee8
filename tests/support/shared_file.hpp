#pragma once
// Files that all ranks read.

#include <filesystem>
#include <optional>
#include <string>

#include "matrix/io_support.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::testing_support {

// A file that rank 0 writes, in a folder of its own. Collective.
class SharedFile {
 public:
  explicit SharedFile(const std::string& content) : world_(MPI_COMM_WORLD) {
    std::string path;
    if (world_.rank() == 0) path = folder_.emplace().write("a.mtx", content);
    world_.broadcast(path);
    path_ = path;
  }
  // Other ranks may still read it.
  ~SharedFile() { MPI_Barrier(world_.handle()); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  mpi::Communicator world_;
  std::optional<matrix::test::TemporaryFolder> folder_;
  std::filesystem::path path_;
};

}  // namespace trisweep::testing_support
