#pragma once
// An MPI communicator of our own, with the few typed operations the stages need. The caller of the library
// supplies an MPI_Comm; every object that communicates works on its own duplicate.

#include <mpi.h>

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::transport {

// Whether a destructor may take part in collective calls: not after MPI_Finalize, and not while an error
// takes this rank out of a program in which others go on.
bool may_communicate();

// Throws Error(environment) with MPI's own text when `code` is not MPI_SUCCESS.
void check(int code, const char* call, const char* remedy = "");

class Communicator {
 public:
  // Duplicates `parent`; collective over it.
  explicit Communicator(MPI_Comm parent);
  // The ranks of this communicator that share this rank's memory, in the same order. Collective.
  Communicator of_node() const;
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return comm_; }
  Index rank() const { return rank_; }
  Index size() const { return size_; }

  double max(double value) const;  // NaN counts as infinity: MPI_MAX may lose it
  double sum(double value) const;
  Offset max(Offset value) const;

  // Everyone's copy becomes `root`'s, of any size.
  void broadcast(std::string& text, Index root = 0) const;
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(std::vector<T>& values, Index root = 0) const {
    auto size = static_cast<Offset>(values.size());
    broadcast_bytes(&size, sizeof size, root);
    values.resize(usize(size));
    broadcast_bytes(values.data(), values.size() * sizeof(T), root);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(T& value, Index root = 0) const { broadcast_bytes(&value, sizeof value, root); }

  // Blocking transfers of any size; messages between two ranks arrive in the order sent.
  void send_bytes(const void* data, std::size_t bytes, Index to, int tag) const;
  void receive_bytes(void* data, std::size_t bytes, Index from, int tag) const;

  // Every rank's list, by rank; empty except on `root`. Lists may differ in length.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> gather(const std::vector<T>& mine,
                                                                              Index root = 0)
  const {
    constexpr int tag = 3;
    const auto sizes = gather(static_cast<Offset>(mine.size()), root);
    if (rank_ != root) {
      send_bytes(mine.data(), mine.size() * sizeof(T), root, tag);
      return {};
    }
    std::vector<std::vector<T>> all;
    for (Index r = 0; r < size_; ++r) {
      all.emplace_back(usize(sizes[usize(r)]));
      if (r == root) {
        all.back() = mine;
      } else {
        receive_bytes(all.back().data(), all.back().size() * sizeof(T), r, tag);
      }
    }
    return all;
  }

  // Every rank's `mine`, by rank; empty except on `root`.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> gather(const T& mine, Index root = 0)
  const {
    std::vector<T> all(rank_ == root ? usize(size_) : 0);
    check(MPI_Gather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, root, comm_), "MPI_Gather");
    return all;
  }

 private:
  void broadcast_bytes(void* data, std::size_t bytes, Index root) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  Index rank_ = 0;
  Index size_ = 1;
};

// An error that every rank throws together: a program may end in good order on it. Any other exception is one
// rank's own, and others may be waiting for that rank.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

// An error that some rank met, about to be made everybody's: see collectively().
struct Failure {
  bool failed = false;
  ErrorKind kind = ErrorKind::environment;
  std::string message;
};
// Collective. Throws CollectiveError on every rank: the failure of the lowest rank that has one, naming that
// rank. Waits patiently: ranks that idle while another one reads or factors leave it the processor.
void throw_first_failure(const Communicator& comm, const Failure& mine);
// The exception being handled, as data.
Failure current_failure();

// Runs work() on every rank of `comm`; when it throws on any, the error of the lowest such rank is thrown on
// all, so that no rank goes on to wait for one that has left. `work` itself must not communicate.
template <class Work>
auto collectively(const Communicator& comm, Work&& work) {
  using Result = std::invoke_result_t<Work>;
  Failure failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      work();
    } catch (...) {
      failure = current_failure();
    }
    throw_first_failure(comm, failure);
  } else {
    Result result{};
    try {
      result = work();
    } catch (...) {
      failure = current_failure();
    }
    throw_first_failure(comm, failure);
    return result;
  }
}

}  // namespace trisweep::transport
