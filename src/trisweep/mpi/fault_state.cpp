#include "trisweep/mpi/fault_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "trisweep/mpi/tags.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::mpi {
namespace {
constexpr int tag_failure = static_cast<int>(Tag::failure);
constexpr int tag_conditional = static_cast<int>(Tag::conditional);

constexpr const char* calls_differ =
    "only some ranks are prepared for this call: the ranks' calls differ\n  remedy: call with the same op "
    "and number of right-hand sides on every rank";
}  // namespace

void FaultState::bind(MPI_Comm comm, Index rank, Index size) {
  comm_ = comm;
  rank_ = rank;
  size_ = size;
  entered_.assign(usize(size), nobody);
  told_.assign(usize(size), MPI_REQUEST_NULL);
}

Failure::Failure(ErrorKind the_kind, std::string_view message) : failed(true), kind(the_kind) {
  std::copy_n(message.data(), std::min(message.size(), text.size() - 1), text.data());
}

Failure current_failure() {
  try {
    throw;
  } catch (const Stalled& e) {
    Failure failure(e.kind(), e.what());
    failure.stalled = true;
    return failure;
  } catch (const Error& e) {
    return {e.kind(), e.what()};
  } catch (const std::bad_alloc&) {
    return {
        ErrorKind::environment,
        "not enough memory\n  remedy: use more ranks on more nodes, single precision, or a smaller problem"};
  } catch (const std::exception& e) {
    return {ErrorKind::environment, e.what()};
  }
}

// Nobody waits for these messages to arrive: they are sent from memory that stays, and so short that MPI does
// not wait for a receiver, who may have left as well.
void FaultState::revoke(const Failure& failure, std::shared_ptr<FaultState> self) noexcept {
  if (revoked()) return;
  failure_ = failure;
  failure_.steps = steps_;
  kept_ = std::move(self);
  constexpr std::size_t most = 512;
  const std::size_t bytes = offsetof(Failure, text) + std::strlen(failure_.message()) + 1;
  for (Index r = 0; r < size_; ++r) {
    MPI_Request request;
    if (r != rank_)
      MPI_Isend(&failure_, static_cast<int>(std::min(bytes, most)), MPI_BYTE, r, tag_failure, comm_,
                &request);
  }
}

bool FaultState::poll_faults(const std::shared_ptr<FaultState>& self) {
  if (revoked()) return true;
  if (poll_failure()) {
    failure_ = heard_;
    kept_ = self;
    return true;
  }
  if (skipped_ < 0) return false;
  poll_entries();
  if (first_entered_ > skipped_) return false;
  revoke(Failure(ErrorKind::usage, calls_differ), self);
  return true;
}

// The earliest: two ranks may have failed at different steps.
bool FaultState::poll_failure() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_failure, comm_, &found, &status);
    if (found == 0) break;
    Failure failure;
    MPI_Recv(&failure, sizeof failure, MPI_BYTE, status.MPI_SOURCE, tag_failure, comm_, MPI_STATUS_IGNORE);
    if (!heard_.failed || failure.steps < heard_.steps) heard_ = failure;
  }
  return heard_.failed && !(waits_in_step_ && heard_.steps > steps_);
}

void FaultState::poll_entries() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_conditional, comm_, &found, &status);
    if (found == 0) return;
    Offset& call = entered_[usize(status.MPI_SOURCE)];
    MPI_Recv(&call, 1, MPI_INT64_T, status.MPI_SOURCE, tag_conditional, comm_, MPI_STATUS_IGNORE);
    first_entered_ = std::min(first_entered_, call);
  }
}

void FaultState::enter_conditional(Offset call) {
  entering_ = entered_[usize(rank_)] = call;
  for (Index r = 0; r < size_; ++r) {
    if (r != rank_) MPI_Isend(&entering_, 1, MPI_INT64_T, r, tag_conditional, comm_, &told_[usize(r)]);
  }
}

bool FaultState::all_have_entered() {
  poll_entries();
  int told = 0;
  MPI_Testall(size_, told_.data(), &told, MPI_STATUSES_IGNORE);
  const Offset last = *std::ranges::max_element(entered_);
  if (told == 0 || last == nobody) return false;
  const bool same = last == *std::ranges::min_element(entered_);
  std::ranges::fill(entered_, nobody);
  first_entered_ = nobody;
  if (!same) throw Error(ErrorKind::usage, calls_differ);
  return true;
}

}  // namespace trisweep::mpi
