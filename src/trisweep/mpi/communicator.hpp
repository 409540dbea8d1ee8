#pragma once
// An MPI communicator of our own, with the few typed operations the stages need. The caller of the library
// supplies an MPI_Comm; every object that communicates works on a duplicate of it, from its pool.

#include <mpi.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"
#include "trisweep/mpi/communicator_pool.hpp"
#include "trisweep/mpi/fault_state.hpp"
#include "trisweep/mpi/pieces.hpp"
#include "trisweep/mpi/tags.hpp"

namespace trisweep::mpi {

// Throws Error(environment) with MPI's own text when `code` is not MPI_SUCCESS.
void check(int code, const char* call, const char* remedy = "");

// Throws Error(usage) before MPI_Init and after MPI_Finalize, where other calls of MPI end the program.
void require_running();

class Communicator {
 public:
  // A duplicate of `parent`; collective over it. Throws Error on every rank if memory does not suffice on any
  // rank. `watchdog`: as for watch().
  explicit Communicator(MPI_Comm parent, const Limits& limits = {},
                        double watchdog = std::numeric_limits<double>::infinity());
  // Another handle, for a part of an object: the same MPI communicator and fault state. Local.
  Communicator share() const;
  // A communicator of the same ranks and fault state, with its own message context. Collective.
  Communicator duplicate() const;
  // The ranks of this communicator that share this rank's memory, in the same order. Collective.
  Communicator of_node() const;
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return lease_->handle(); }
  Index rank() const { return rank_; }
  Index size() const { return size_; }
  const Limits& limits() const { return limits_; }

  // True if a destructor may communicate: not after MPI_Finalize, not when revoked (fault_state.hpp), not
  // after destroy_locally(), and not while the stack unwinds by an exception that other ranks may not have.
  bool may_communicate() const;
  bool revoked() const { return fault_->revoked(); }
  // From now on destructors only free memory, on this rank alone; windows stay with the pool.
  void destroy_locally() const { fault_->local_destruction = true; }
  void revoke(const Failure& failure) const noexcept { fault_->revoke(failure, fault_); }
  // Throws the error that revoked the object, on this or another rank. `waits_out`: ignores that another
  // rank's watchdog has expired, since this rank's own watchdog will follow.
  void poll_faults(bool waits_out = false) const;
  // Waits until a collective operation is complete. Throws as poll_faults() does; the caller must then keep
  // the operation's buffers.
  void finish(MPI_Request& request) const;
  // Number of completed votes and reductions, over all communicators that share the fault state.
  Offset reductions() const { return fault_->steps(); }
  bool shares_fault_state(const Communicator& other) const { return fault_ == other.fault_; }
  // Sets the time limit of one wait in seconds, after which it throws Stalled (watchdog.hpp), for all
  // communicators that share the fault state. Unset: no limit.
  void watch(double limit) const { fault_->limit = limit; }
  double watchdog_limit() const { return fault_->wait_limit(); }
  // Longest sleep between two polls of a waiting rank; zero on the path of a solve (WaitScope).
  std::chrono::microseconds longest_sleep() const { return fault_->longest_sleep(); }
  // The window on this communicator: see CommunicatorPool::Lease.
  void keep(MPI_Win window) const { lease_->keep(window); }
  void free_window() const { lease_->free_window(); }
  // Lets MPI make progress.
  void progress() const;
  // Enters the conditional collective of the next call. skip_conditional() instead states that this rank does
  // not enter (fault_state.hpp).
  void conditional_barrier() const;
  void skip_conditional() const { fault_->skip_conditional(); }
  // Throws Error(environment) if the object is revoked; Error(usage) in a forked process and where MPI is not
  // running.
  void require_usable() const;

  // Elementwise reductions over all ranks, of equally many values on each. Throw if a rank fails meanwhile.
  void max(std::span<double> values) const;  // NaN counts as infinity: MPI_MAX may lose it
  void max(std::span<std::uint64_t> values) const;
  void sum(std::span<double> values) const;
  double max(double value) const;
  double sum(double value) const;
  std::uint64_t sum(std::uint64_t value) const;  // modulo 2^64
  Offset max(Offset value) const;
  void intersect(std::span<std::uint64_t> bits) const;

  // Broadcasts `root`'s copy, of any size. Throws on every rank when memory does not suffice on any.
  void broadcast(std::string& text, Index root = 0) const;
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(std::vector<T>& values, Index root = 0) const {
    auto size = static_cast<Offset>(values.size());
    broadcast_bytes(&size, sizeof size, root);
    make_room(values, usize(size));
    broadcast_bytes(values.data(), values.size() * sizeof(T), root);
  }
  template <class T>
  void broadcast(std::span<T> values, Index root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(values.data(), values.size_bytes(), root);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(T& value, Index root = 0) const { broadcast_bytes(&value, sizeof value, root); }

  // Blocking transfers of any size; messages between two ranks arrive in the order sent.
  void send_bytes(const void* data, std::size_t bytes, Index to, Tag tag) const;
  void receive_bytes(void* data, std::size_t bytes, Index from, Tag tag) const;

  // Returns every rank's list, by rank; empty except on `root`. Lists may differ in length. Throws as
  // broadcast().
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> gather(const std::vector<T>& mine,
                                                                              Index root = 0)
  const;
  // Returns every rank's `mine`, by rank; empty except on `root`. Throws as broadcast().
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> gather(const T& mine, Index root = 0)
  const;

 private:
  Communicator() = default;
  Communicator(std::shared_ptr<CommunicatorPool::Lease> lease, std::shared_ptr<FaultState> fault);
  Communicator(CommunicatorPool& pool, const Limits& limits, std::shared_ptr<FaultState> fault);
  void adopt(std::shared_ptr<CommunicatorPool::Lease> lease);
  bool is_unusable() const;
  bool is_of_this_process() const;
  template <class Done>
  void wait_until(const Done& done) const;
  template <class Start>
  void transfer(const Start& start) const;
  template <class Piece>
  void in_notes(std::size_t bytes, const Piece& piece) const;
  template <class T>
  void make_room(std::vector<T>& values, std::size_t size) const;
  void broadcast_bytes(void* data, std::size_t bytes, Index root) const;
  void gather_bytes(const void* mine, std::size_t bytes, Buffer<std::byte>& all, Index root) const;
  template <class V>
  void reduce(std::span<V> values, MPI_Datatype type, MPI_Op op) const;

  std::shared_ptr<CommunicatorPool::Lease> lease_;
  Index rank_ = 0;
  Index size_ = 1;
  Limits limits_;
  int exceptions_ = 0;  // in flight at construction
  std::shared_ptr<FaultState> fault_;

  template <int FaultState::*scopes>
  friend class WaitScope;
  friend class CommunicatorPool;
  friend void throw_first_failure(const Communicator& comm, const Failure& mine);
};

// During its lifetime, waiting ranks sleep between polls, which leaves shared processors to the ranks that
// they wait for.
template <int FaultState::*scopes>
class WaitScope {
 public:
  explicit WaitScope(const Communicator& comm) : fault_(comm.fault_) { ++(*fault_.*scopes); }
  ~WaitScope() { --(*fault_.*scopes); }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  std::shared_ptr<FaultState> fault_;
};
// One rank may be busy for long, as in a factorization: waits have no limit.
using LongWork = WaitScope<&FaultState::long_work>;
// Preparations for solves.
using SetUp = WaitScope<&FaultState::set_up>;

// Number of ranks that share the memory of rank 0. Collective; the same on every rank.
Index ranks_of_first_node(const Communicator& comm);
// Number of processors that the caller is bound to; 1 if the system does not tell.
int own_processors();
// Number of processors for each rank, if `ranks_of_node` ranks share this machine: at most own_processors()
// and OMP_NUM_THREADS, at least one.
int processors_of_each(Index ranks_of_node);
// True if any thread may call MPI, at least one at a time.
bool threads_take_turns();

// An error that every rank of a communicator throws, so that a program may terminate normally on it. Any
// other exception may be thrown by one rank alone, while other ranks wait for it.
class CollectiveError : public Error {
 public:
  // `ranks`: number of ranks that throw it (default: all).
  explicit CollectiveError(ErrorKind kind, const std::string& message, const std::string& remedy = {},
                           Index ranks = std::numeric_limits<Index>::max())
      : Error(kind, message, remedy), ranks_(ranks) {}
  // False for an error of a smaller communicator, such as that of a node, which other ranks may not have.
  bool is_of_all(const Communicator& comm) const { return ranks_ >= comm.size(); }

 private:
  Index ranks_;
};

// Collective. If any rank passes a failure, throws CollectiveError on every rank: the failure of the lowest
// such rank, naming that rank. Yields the processor while waiting, since another rank may be reading or
// factoring.
void throw_first_failure(const Communicator& comm, const Failure& mine);
// Runs work() and returns this rank's failure, if any. Passes on an error that all ranks of `comm` throw.
template <class Work>
Failure failure_of(const Communicator& comm, Work&& work) {
  try {
    work();
  } catch (const CollectiveError& error) {
    if (error.is_of_all(comm)) throw;
    return current_failure();
  } catch (...) {
    return current_failure();
  }
  return {};
}
// Runs work() on every rank of `comm`; if it throws on any rank, the error of the lowest such rank is thrown
// on all ranks. If `work` itself communicates on `comm`, an error in it must revoke `comm` and throw a
// CollectiveError, which is passed on as it is, since all ranks throw it.
template <class Work>
auto agree_on_error(const Communicator& comm, Work&& work) {
  using Result = std::invoke_result_t<Work>;
  if constexpr (std::is_void_v<Result>) {
    throw_first_failure(comm, failure_of(comm, work));
  } else {
    std::optional<Result> result;
    throw_first_failure(comm, failure_of(comm, [&] { result.emplace(work()); }));
    return *std::move(result);
  }
}

// Runs work(), which communicates. An error of this rank alone revokes `comm`, and all ranks throw that
// Error.
template <class Work>
auto revoke_on_error(const Communicator& comm, Work&& work) {
  comm.require_usable();
  try {
    return work();
  } catch (const CollectiveError& error) {
    if (!error.is_of_all(comm)) comm.revoke(current_failure());
    throw;
  } catch (const std::bad_alloc&) {
    const Failure failure = current_failure();
    comm.revoke(failure);
    throw Error(failure.kind, failure.message());
  } catch (...) {
    comm.revoke(current_failure());
    throw;
  }
}

// std::make_unique<T>(comm, arguments...) for a type T with a collective constructor: either all ranks enter
// the constructor or none does.
template <class T, class... Arguments>
std::unique_ptr<T> make_collective(const Communicator& comm, Arguments&&... arguments) {
  struct Release {
    void operator()(T* place) const { std::allocator<T>().deallocate(place, 1); }
  };
  auto place =
      agree_on_error(comm, [] { return std::unique_ptr<T, Release>(std::allocator<T>().allocate(1)); });
  T* const made = new (place.get()) T(comm, std::forward<Arguments>(arguments)...);
  static_cast<void>(place.release());
  return std::unique_ptr<T>(made);
}

template <class T>
void Communicator::make_room(std::vector<T>& values, std::size_t size) const {
  agree_on_error(*this, [&] { values.resize(size); });
}

template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> Communicator::gather(
    const std::vector<T>& mine, Index root)
const {
  const auto sizes = gather(static_cast<Offset>(mine.size()), root);
  std::vector<std::vector<T>> all;
  agree_on_error(*this, [&] {
    for (const Offset size : sizes) all.emplace_back(usize(size));
    if (rank_ == root) all[usize(root)] = mine;
  });
  if (rank_ != root) send_bytes(mine.data(), mine.size() * sizeof(T), root, Tag::list);
  for (Index r = 0; r < static_cast<Index>(all.size()); ++r) {
    if (r != root) receive_bytes(all[usize(r)].data(), all[usize(r)].size() * sizeof(T), r, Tag::list);
  }
  return all;
}

template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> Communicator::gather(const T& mine, Index root)
const {
  std::vector<T> all;
  Buffer<std::byte> bytes;
  agree_on_error(*this, [&] {
    if (rank_ != root) return;
    all.resize(usize(size_));
    bytes = Buffer<std::byte>(usize(size_) * sizeof(T), "what all ranks send");
  });
  gather_bytes(&mine, sizeof(T), bytes, root);
  if (rank_ == root) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace trisweep::mpi
