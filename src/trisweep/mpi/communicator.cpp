#include "trisweep/mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <thread>
#include <utility>

namespace trisweep::mpi {
void check(int code, const char* call, const char* remedy) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::environment,
              fmt::format("{} failed: {}", call, std::string(text.data(), usize(length))), remedy);
}

Communicator::Communicator(MPI_Comm parent, const Limits& limits)
    : Communicator(parent, limits, std::shared_ptr<FaultState>()) {
  Failure failure;
  try {
    fault_ = std::make_shared<FaultState>();
    fault_->bind(comm_, rank_, size_);
  } catch (...) {
    failure = current_failure();
  }
  // Not by throw_first_failure(), which needs what has just been made.
  Index first = failure.failed ? rank_ : size_;
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, comm_), "MPI_Allreduce");
  if (first == size_) return;
  check(MPI_Bcast(&failure, sizeof failure, MPI_BYTE, first, comm_), "MPI_Bcast");
  MPI_Comm_free(&comm_);
  throw CollectiveError(failure.kind, failure.message());
}

Communicator::Communicator(MPI_Comm parent, const Limits& limits, std::shared_ptr<FaultState> fate)
    : limits_(limits), exceptions_(std::uncaught_exceptions()), fault_(std::move(fate)) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator Communicator::duplicate() const {
  return {comm_, limits_, fault_};
}

Communicator Communicator::of_node() const {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  Communicator result(node, limits_);
  MPI_Comm_free(&node);
  return result;
}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && may_communicate()) MPI_Comm_free(&comm_);
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      limits_(other.limits_),
      exceptions_(other.exceptions_),
      fault_(other.fault_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(limits_, other.limits_);
  std::swap(exceptions_, other.exceptions_);
  std::swap(fault_, other.fault_);
  return *this;
}

bool Communicator::may_communicate() const {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || fault_ == nullptr || revoked()) return false;
  return fault_->agreed || std::uncaught_exceptions() <= exceptions_;
}

// MPI_Wait spins; on shared processors that takes time from the very rank being waited for. Most waits are
// short: then going to sleep takes longer than all else.
template <class Done>
void Communicator::wait_until(const Done& done) const {
  constexpr auto longest = std::chrono::milliseconds(2);
  constexpr int eager_looks = 100;
  auto pause = std::chrono::microseconds(1);
  for (int look = 0;; ++look) {
    if (done()) return;
    if (look < eager_looks) {
      std::this_thread::yield();
      continue;
    }
    poll_faults();
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, longest);
  }
}

void Communicator::finish(MPI_Request& request) const {
  wait_until([&] {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
}

void Communicator::progress() const {
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void Communicator::conditional_barrier(Offset call) const {
  fault_->enter_conditional(call);
  wait_until([&] { return fault_->all_have_entered(); });
}

void Communicator::poll_faults(bool waits_out) const {
  if (!fault_->poll_faults(fault_)) return;
  const Failure& failure = fault_->failure();
  if (waits_out && failure.stalled) return;
  throw Error(failure.kind, failure.message());
}

void Communicator::require_usable() const {
  if (!revoked()) return;
  throw Error(ErrorKind::environment,
              fmt::format("this object was revoked by an earlier error: {}", fault_->failure().message()),
              "make a new one on every rank");
}

// In pieces that fit where what is under way stays when the wait for it is given up.
template <class V>
void Communicator::reduce(std::span<V> values, MPI_Datatype type, MPI_Op op) const {
  if (size_ == 1) return fault_->step([] {});
  auto& note = fault_->note;
  const std::size_t most = note.size() / sizeof(V);
  for (std::size_t at = 0; at < values.size(); at += most) {
    const auto piece = values.subspan(at, std::min(most, values.size() - at));
    std::memcpy(note.data(), piece.data(), piece.size_bytes());
    MPI_Request request;
    check(
        MPI_Iallreduce(MPI_IN_PLACE, note.data(), static_cast<int>(piece.size()), type, op, comm_, &request),
        "MPI_Iallreduce");
    fault_->step([&] { finish(request); });
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

Offset Communicator::max(Offset value) const {
  reduce(std::span(&value, 1), MPI_INT64_T, MPI_MAX);
  return value;
}

void Communicator::broadcast(std::string& text, Index root) const {
  std::vector<char> bytes(text.begin(), text.end());
  broadcast(bytes, root);
  text.assign(bytes.begin(), bytes.end());
}

// What is short leads from step to step: ranks wait for it as they do for votes.
void Communicator::broadcast_bytes(void* data, std::size_t bytes, Index root) const {
  auto& note = fault_->note;
  if (bytes <= note.size()) {
    if (bytes > 0) std::memcpy(note.data(), data, bytes);
    MPI_Request request;
    check(MPI_Ibcast(note.data(), static_cast<int>(bytes), MPI_BYTE, root, comm_, &request), "MPI_Ibcast");
    finish(request);
    if (bytes > 0) std::memcpy(data, note.data(), bytes);
    return;
  }
  in_pieces(bytes, limits_, [&](std::size_t at, int count) {
    check(MPI_Bcast(static_cast<char*>(data) + at, count, MPI_BYTE, root, comm_), "MPI_Bcast");
  });
}

// A sender that has left sends nothing any more: what would still receive is taken back.
void Communicator::finish_or_cancel(MPI_Request& request) const {
  try {
    finish(request);
  } catch (...) {
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    throw;
  }
}

void Communicator::send_bytes(const void* data, std::size_t bytes, Index to, Tag tag) const {
  in_pieces(bytes, limits_, [&](std::size_t at, int count) {
    MPI_Request request;
    check(MPI_Isend(static_cast<const char*>(data) + at, count, MPI_BYTE, to, static_cast<int>(tag), comm_,
                    &request),
          "MPI_Isend");
    finish(request);
  });
}

void Communicator::receive_bytes(void* data, std::size_t bytes, Index from, Tag tag) const {
  in_pieces(bytes, limits_, [&](std::size_t at, int count) {
    MPI_Request request;
    check(MPI_Irecv(static_cast<char*>(data) + at, count, MPI_BYTE, from, static_cast<int>(tag), comm_,
                    &request),
          "MPI_Irecv");
    finish_or_cancel(request);
  });
}

Index ranks_of_first_node(const Communicator& comm) {
  Index ranks = comm.of_node().size();
  comm.broadcast(ranks);
  return ranks;
}

void throw_first_failure(const Communicator& comm, const Failure& mine) {
  FaultState& fate = *comm.fault_;
  fate.ballot = mine.failed ? comm.rank() : comm.size();
  fate.step([&] {
    if (comm.size() == 1) return;
    MPI_Request request;
    check(MPI_Iallreduce(MPI_IN_PLACE, &fate.ballot, 1, MPI_INT32_T, MPI_MIN, comm.handle(), &request),
          "MPI_Iallreduce");
    comm.finish(request);
  });
  const Index first = fate.ballot;
  fate.agreed = first < comm.size();
  if (!fate.agreed) return;
  Failure failure = mine;
  comm.broadcast(failure, first);
  // Rank 0 does what is not distributed: its number would say nothing.
  if (first == 0) throw CollectiveError(failure.kind, failure.message());
  throw CollectiveError(failure.kind, fmt::format("rank {}: {}", first, failure.message()));
}

}  // namespace trisweep::mpi
