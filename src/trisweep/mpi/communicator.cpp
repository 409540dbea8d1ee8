#include "trisweep/mpi/communicator.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

#include "trisweep/core/watchdog.hpp"
#include "trisweep/mpi/completion.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::mpi {
namespace {

// An invalid time is rejected together with the other options, by all ranks.
double usable_limit(double watchdog) {
  return watchdog > 0 ? watchdog : usual_watchdog;
}

}  // namespace

void check(int code, const char* call, const char* remedy) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::environment,
              fmt::format("{} failed: {}", call, std::string(text.data(), usize(length))), remedy);
}

void require_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0)
    throw Error(ErrorKind::usage, "MPI is not initialized", "call MPI_Init or MPI_Init_thread before");
  if (finalized != 0)
    throw Error(ErrorKind::usage, "MPI is finalized", "call MPI_Finalize when all is computed");
}

Communicator::Communicator(MPI_Comm parent, const Limits& limits, double watchdog)
    : Communicator(*CommunicatorPool::of(parent, usable_limit(watchdog)), limits, nullptr) {
  watch(usable_limit(watchdog));
}

Communicator::Communicator(std::shared_ptr<CommunicatorPool::Lease> lease, std::shared_ptr<FaultState> fault)
    : exceptions_(std::uncaught_exceptions()), fault_(std::move(fault)) {
  adopt(std::move(lease));
}

void Communicator::adopt(std::shared_ptr<CommunicatorPool::Lease> lease) {
  lease_ = std::move(lease);
  MPI_Comm_rank(handle(), &rank_);
  MPI_Comm_size(handle(), &size_);
}

Communicator::Communicator(CommunicatorPool& pool, const Limits& limits, std::shared_ptr<FaultState> fault)
    : limits_(limits), exceptions_(std::uncaught_exceptions()), fault_(std::move(fault)) {
  const bool makes_fault_state = !fault_;
  Failure failure;
  try {
    if (makes_fault_state) fault_ = std::make_shared<FaultState>();
  } catch (...) {
    failure = current_failure();
  }
  try {
    adopt(pool.lease(failure, makes_fault_state ? pool.fault()->limit : fault_->limit));
  } catch (const CollectiveError&) {
    if (fault_) fault_->agreed = true;
    throw;
  }
  if (makes_fault_state) fault_->bind(handle(), rank_, size_, pool.fault());
}

Communicator Communicator::share() const {
  Communicator part;
  part.lease_ = lease_;
  part.rank_ = rank_;
  part.size_ = size_;
  part.limits_ = limits_;
  part.exceptions_ = std::uncaught_exceptions();
  part.fault_ = fault_;
  return part;
}

Communicator Communicator::duplicate() const {
  return {lease_->pool(), limits_, fault_};
}

// An MPI failure on one node revokes all objects of the pool; the caller must not take it for an obstacle
// that it can work around.
Communicator Communicator::of_node() const {
  CommunicatorPool& node = *lease_->pool().of_node(fault_->limit);
  try {
    return agree_on_error(*this, [&] { return Communicator(node, limits_, nullptr); });
  } catch (const CollectiveError& error) {
    if (!node.fault()->revoked()) throw;
    revoke(Failure(error.kind(), error.what()));
    throw Error(error.kind(), error.what());
  }
}

Communicator::~Communicator() {
  if (lease_ && is_unusable()) lease_->retire();
}

Communicator::Communicator(Communicator&& other) noexcept
    : lease_(std::move(other.lease_)),
      rank_(other.rank_),
      size_(other.size_),
      limits_(other.limits_),
      exceptions_(other.exceptions_),
      fault_(other.fault_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(lease_, other.lease_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(limits_, other.limits_);
  std::swap(exceptions_, other.exceptions_);
  std::swap(fault_, other.fault_);
  return *this;
}

// True if the object is revoked, or if the stack unwinds by an error that other ranks may not have.
bool Communicator::is_unusable() const {
  if (fault_ == nullptr || revoked()) return true;
  return !fault_->agreed && std::uncaught_exceptions() > exceptions_;
}

bool Communicator::may_communicate() const {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized == 0 && !is_unusable() && !fault_->local_destruction && is_of_this_process();
}

// MPI_Wait spins; on shared processors that takes time from the very rank being waited for.
template <class Done>
void Communicator::wait_until(const Done& done) const {
  Watchdog watchdog(*this);
  while (!done()) watchdog.backoff([] { return std::string("a rank has not entered a vote or a sum"); });
}

void Communicator::finish(MPI_Request& request) const {
  Completion completion;
  wait_until([&] { return completion.of(request); });
}

// An MPI error on this rank, for which the others wait, revokes the object wherever it occurs.
template <class Start>
void Communicator::transfer(const Start& start) const {
  revoke_on_error(*this, [&] {
    MPI_Request request;
    start(&request);
    finish(request);
  });
}

void Communicator::progress() const {
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void Communicator::conditional_barrier() const {
  fault_->enter_conditional();
  fault_->step([&] { wait_until([&] { return fault_->all_have_entered(); }); });
}

void Communicator::poll_faults(bool waits_out) const {
  if (!fault_->poll_faults(fault_)) return;
  const Failure& failure = fault_->failure();
  if (waits_out && failure.stalled) return;
  throw Error(failure.kind, failure.message());
}

bool Communicator::is_of_this_process() const {
  return size_ == 1 || fault_->process == getpid();
}

void Communicator::require_usable() const {
  require_running();
  if (!is_of_this_process())
    throw Error(ErrorKind::usage,
                "this object belongs to the process that forked this one: MPI works only there",
                "solve there, or start processes with mpirun or spawn");
  if (!revoked()) return;
  const std::string_view earlier = fault_->failure().message();
  throw Error(ErrorKind::environment,
              fmt::format("this object was revoked by an earlier error: {}",
                          earlier.substr(0, earlier.find("\n  remedy: "))),
              size_ == 1 ? "make a new one" : "make a new one on every rank");
}

template <class V>
void Communicator::reduce(std::span<V> values, MPI_Datatype type, MPI_Op op) const {
  if (size_ == 1) return fault_->step([] {});
  auto& note = fault_->note;
  const std::size_t most = note.size() / sizeof(V);
  for (std::size_t at = 0; at < values.size(); at += most) {
    const auto piece = values.subspan(at, std::min(most, values.size() - at));
    std::memcpy(note.data(), piece.data(), piece.size_bytes());
    fault_->step([&] {
      transfer([&](MPI_Request* request) {
        check(MPI_Iallreduce(MPI_IN_PLACE, note.data(), static_cast<int>(piece.size()), type, op, handle(),
                             request),
              "MPI_Iallreduce");
      });
    });
    std::memcpy(piece.data(), note.data(), piece.size_bytes());
  }
}

void Communicator::max(std::span<double> values) const {
  for (double& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  }
  reduce(values, MPI_DOUBLE, MPI_MAX);
}

void Communicator::max(std::span<std::uint64_t> values) const {
  reduce(values, MPI_UINT64_T, MPI_MAX);
}

void Communicator::sum(std::span<double> values) const {
  reduce(values, MPI_DOUBLE, MPI_SUM);
}

double Communicator::max(double value) const {
  max({&value, 1});
  return value;
}

double Communicator::sum(double value) const {
  sum({&value, 1});
  return value;
}

std::uint64_t Communicator::sum(std::uint64_t value) const {
  reduce(std::span(&value, 1), MPI_UINT64_T, MPI_SUM);
  return value;
}

Offset Communicator::max(Offset value) const {
  reduce(std::span(&value, 1), MPI_INT64_T, MPI_MAX);
  return value;
}

void Communicator::intersect(std::span<std::uint64_t> bits) const {
  reduce(bits, MPI_UINT64_T, MPI_BAND);
}

void Communicator::broadcast(std::string& text, Index root) const {
  auto size = static_cast<Offset>(text.size());
  broadcast_bytes(&size, sizeof size, root);
  agree_on_error(*this, [&] { text.resize(usize(size)); });
  broadcast_bytes(text.data(), text.size(), root);
}

// Data in flight are in the fault state's `note`, which is kept when the wait for them is abandoned: a
// matched message can neither be cancelled nor may its memory be freed.
template <class Piece>
void Communicator::in_notes(std::size_t bytes, const Piece& piece) const {
  in_pieces(bytes, {.bytes = std::min(limits_.bytes, fault_->note.size())}, piece);
}

void Communicator::broadcast_bytes(void* data, std::size_t bytes, Index root) const {
  std::byte* const note = fault_->note.data();
  in_notes(bytes, [&](std::size_t at, int count) {
    std::byte* const piece = static_cast<std::byte*>(data) + at;
    if (rank_ == root) std::memcpy(note, piece, usize(count));
    transfer([&](MPI_Request* request) {
      check(MPI_Ibcast(note, count, MPI_BYTE, root, handle(), request), "MPI_Ibcast");
    });
    if (rank_ != root) std::memcpy(piece, note, usize(count));
  });
}

void Communicator::send_bytes(const void* data, std::size_t bytes, Index to, Tag tag) const {
  std::byte* const note = fault_->note.data();
  in_notes(bytes, [&](std::size_t at, int count) {
    std::memcpy(note, static_cast<const std::byte*>(data) + at, usize(count));
    transfer([&](MPI_Request* request) {
      check(MPI_Isend(note, count, MPI_BYTE, to, static_cast<int>(tag), handle(), request), "MPI_Isend");
    });
  });
}

void Communicator::receive_bytes(void* data, std::size_t bytes, Index from, Tag tag) const {
  std::byte* const note = fault_->note.data();
  in_notes(bytes, [&](std::size_t at, int count) {
    transfer([&](MPI_Request* request) {
      check(MPI_Irecv(note, count, MPI_BYTE, from, static_cast<int>(tag), handle(), request), "MPI_Irecv");
    });
    std::memcpy(static_cast<std::byte*>(data) + at, note, usize(count));
  });
}

void Communicator::gather_bytes(const void* mine, std::size_t bytes, Buffer<std::byte>& all,
                                Index root) const {
  std::byte* const note = fault_->note.data();
  const int count = static_cast<int>(bytes);
  std::memcpy(note, mine, bytes);
  try {
    transfer([&](MPI_Request* request) {
      check(MPI_Igather(note, count, MPI_BYTE, all.data(), count, MPI_BYTE, root, handle(), request),
            "MPI_Igather");
    });
  } catch (...) {
    all.release();
    throw;
  }
}

Index ranks_of_first_node(const Communicator& comm) {
  Index ranks = comm.of_node().size();
  comm.broadcast(ranks);
  return ranks;
}

int own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int processors_of_each(Index ranks_of_node) {
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  const int part = std::min(own_processors(), all / static_cast<int>(ranks_of_node));
  const char* const limit = std::getenv("OMP_NUM_THREADS");  // a list for nested regions: the outermost first
  const int most = limit != nullptr ? std::atoi(limit) : 0;
  return std::max(1, most > 0 ? std::min(part, most) : part);
}

bool threads_take_turns() {
  int provided = 0;
  MPI_Query_thread(&provided);
  return provided >= MPI_THREAD_SERIALIZED;
}

void throw_first_failure(const Communicator& comm, const Failure& mine) {
  FaultState& state = *comm.fault_;
  state.ballot = mine.failed ? comm.rank() : comm.size();
  state.step([&] {
    if (comm.size() == 1) return;
    comm.transfer([&](MPI_Request* request) {
      check(MPI_Iallreduce(MPI_IN_PLACE, &state.ballot, 1, MPI_INT32_T, MPI_MIN, comm.handle(), request),
            "MPI_Iallreduce");
    });
  });
  const Index first = state.ballot;
  state.agreed = first < comm.size();
  if (!state.agreed) return;
  Failure failure = mine;
  comm.broadcast(failure, first);
  // Rank 0 does all work that is not distributed: its number would not help a user.
  throw CollectiveError(failure.kind,
                        first == 0 ? failure.message() : fmt::format("rank {}: {}", first, failure.message()),
                        {}, comm.size());
}

}  // namespace trisweep::mpi
