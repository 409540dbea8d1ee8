#include "trisweep/mpi/fault_state.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "trisweep/mpi/communicator.hpp"
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

void FaultState::bind(MPI_Comm comm, Index rank, Index size, std::shared_ptr<FaultState> outer) {
  outer_ = std::move(outer);
  comm_ = comm;
  rank_ = rank;
  size_ = size;
  needed_ = std::bit_width(static_cast<unsigned>(size) - 1);
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
  } catch (...) {
    return {ErrorKind::environment, "a function of the caller threw an object that is no std::exception"};
  }
}

// No rank waits for these messages to arrive: they are sent from memory that is never freed, and are so short
// that MPI sends them without waiting for a receiver, who may have failed as well.
void FaultState::revoke(const Failure& failure, std::shared_ptr<FaultState> self) noexcept {
  if (revoked()) return;
  failure_ = failure;
  failure_.steps = steps_;
  kept_ = std::move(self);
  pass_on();
}

void FaultState::pass_on() const noexcept {
  constexpr std::size_t most = 512;
  const std::size_t bytes = offsetof(Failure, text) + std::strlen(failure_.message()) + 1;
  const auto send = [&](Index to) {
    MPI_Request request;
    MPI_Isend(&failure_, static_cast<int>(std::min(bytes, most)), MPI_BYTE, to, tag_failure, comm_, &request);
  };
  for (Index distance = 1; distance <= size_ / 2; distance *= 2) {
    send((rank_ + distance) % size_);
    if (2 * distance < size_) send((rank_ - distance + size_) % size_);
  }
}

bool FaultState::poll_faults(const std::shared_ptr<FaultState>& self) {
  if (revoked()) return true;
  if (poll_failure() || poll_outer()) {
    failure_ = heard_;
    kept_ = self;
    pass_on();
    return true;
  }
  if (skipped_ < 0) return false;
  poll_entries();
  const bool all_later =
      std::ranges::all_of(rounds_, [&](const Round& round) { return round.heard[0] > skipped_; });
  if (all_later) return false;
  revoke(Failure(ErrorKind::usage, calls_differ), self);
  return true;
}

// Keeps the earliest failure: two ranks may have failed at different steps.
bool FaultState::poll_failure() {
  while (comm_ != MPI_COMM_NULL) {
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

bool FaultState::poll_outer() {
  if (!outer_ || !outer_->poll_faults(outer_)) return false;
  heard_ = outer_->failure();
  return true;
}

void FaultState::poll_entries() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_conditional, comm_, &found, &status);
    if (found == 0) return;
    const auto distance = static_cast<unsigned>((rank_ - status.MPI_SOURCE + size_) % size_);
    auto& heard = rounds_[usize(std::bit_width(distance) - 1)].heard;
    MPI_Recv(&heard[heard[0] == nobody ? 0 : 1], 1, MPI_INT64_T, status.MPI_SOURCE, tag_conditional, comm_,
             MPI_STATUS_IGNORE);
  }
}

void FaultState::begin_round() {
  if (round_ == needed_) return;
  Round& round = rounds_[round_];
  round.sent = calls_;
  const auto to = static_cast<Index>((Offset{rank_} + (Offset{1} << round_)) % size_);
  check(MPI_Isend(&round.sent, 1, MPI_INT64_T, to, tag_conditional, comm_, &round.request), "MPI_Isend");
}

void FaultState::enter_conditional() {
  ++calls_;
  round_ = 0;
  begin_round();
}

bool FaultState::all_have_entered() {
  poll_entries();
  for (; round_ < needed_; begin_round()) {
    Round& round = rounds_[round_];
    int sent = 0;
    MPI_Test(&round.request, &sent, MPI_STATUS_IGNORE);
    if (sent == 0 || round.heard[0] == nobody) return false;
    if (round.heard[0] != calls_) throw Error(ErrorKind::usage, calls_differ);
    round.heard = {round.heard[1], nobody};
    ++round_;
  }
  return true;
}

}  // namespace trisweep::mpi
