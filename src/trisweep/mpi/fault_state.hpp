#pragma once
// The fault state of a distributed object, shared by its communicators.
//
// An error on one rank inside a collective operation would leave the others waiting. So the rank *revokes*
// the object: it notifies the others, whose waits end in the same error. The notification floods a binomial
// graph, whose edges join ranks 1, 2, 4, ... apart, and every rank that learns of a failure forwards it: in
// log2 P hops, with at most 2 log2 P messages per rank. A rank that polls late holds up no other rank
// (reliable broadcast of Bosilca et al., SC16). A revoked object neither communicates nor waits, not even in
// destructors. Messages may still be in flight, so communicators, windows and memory that MPI may read or
// write are never freed (Buffer::release). A caught error therefore only costs memory; but MPICH's
// MPI_Finalize fails an assertion if one-sided windows are left.

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>

#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

// An error of one rank, to be sent to all. Of fixed size, so that neither sending nor receiving allocates.
struct Failure {
  bool failed = false;
  bool stalled = false;  // the watchdog's time limit has passed
  ErrorKind kind = ErrorKind::environment;
  Offset steps = 0;  // collective steps that the rank had completed: see FaultState::step
  std::array<char, 2028> text{};

  Failure() = default;
  Failure(ErrorKind the_kind, std::string_view message);
  const char* message() const { return text.data(); }
};
// The exception being handled, as data.
Failure current_failure();

class FaultState {
 public:
  // `comm`: communicator of all the ranks, on which faults are sent; without it they are not sent. A fault of
  // `outer`, on the same ranks, is a fault of this object, too.
  void bind(MPI_Comm comm, Index rank, Index size, std::shared_ptr<FaultState> outer = nullptr);

  bool revoked() const { return failure_.failed; }
  // The error that revoked the object.
  const Failure& failure() const { return failure_; }
  // This rank has failed: notifies its neighbours. `self` is this object, which is never freed.
  void revoke(const Failure& failure, std::shared_ptr<FaultState> self) noexcept;
  // True if another rank has reported a failure, or waits in a conditional collective that this rank has
  // skipped; either revokes the object on this rank, too, and is forwarded. A failure of a rank that has
  // completed the step in which this rank waits is not reported yet: the step will complete, with the same
  // outcome on all ranks.
  bool poll_faults(const std::shared_ptr<FaultState>& self);

  // Runs a vote, a reduction or a conditional collective: wait() returns when it is complete, and may call
  // poll_faults() and throw. Once one rank has completed the step, all have entered it. (This excludes a
  // broadcast: its root may complete it and fail before a rank that forwards it has entered.)
  template <class Wait>
  void step(const Wait& wait) {
    waits_in_step_ = true;
    wait();
    waits_in_step_ = false;
    ++steps_;
  }

  Offset steps() const { return steps_; }

  // A *conditional collective* is a step that a call enters on all ranks or on none, depending on its
  // arguments. A rank that enters it notifies another, so that some rank that has skipped it in the same call
  // learns of the mismatch at its next wait, and no rank waits forever. Calls are counted by both functions.
  // The notifications are a dissemination barrier: log2 P messages of each rank (Hensgen, Finkel, Manber
  // 1988).
  void enter_conditional();
  // True when all ranks have entered. Throws Error(usage) if a rank has entered in another call.
  bool all_have_entered();
  void skip_conditional() { skipped_ = ++calls_; }

  // All ranks threw the same error in their last collective step: destructors may still communicate.
  bool agreed = false;
  // The process that made the object: MPI does not work in a child that it forks.
  const pid_t process = getpid();
  // How ranks wait: see Communicator::watch and WaitScope.
  double limit = std::numeric_limits<double>::infinity();  // seconds
  int long_work = 0, set_up = 0;                           // open scopes
  double wait_limit() const { return long_work > 0 ? std::numeric_limits<double>::infinity() : limit; }
  std::chrono::microseconds longest_sleep() const {
    return std::chrono::microseconds(long_work > 0 ? 200 : set_up > 0 ? 50 : 0);
  }
  // Destructors only free what is local to this rank, and never communicate.
  bool local_destruction = false;
  // Buffers of operations in flight: of a vote, and of a piece of a reduction, broadcast or message.
  Index ballot = 0;
  alignas(std::max_align_t) std::array<std::byte, 1 << 16> note{};

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Index rank_ = 0;
  Index size_ = 1;
  void poll_entries();
  bool poll_failure();
  bool poll_outer();

  // One round of the barrier: sends to the rank 2^round above, receives from the rank 2^round below.
  struct Round {
    Offset sent = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    // Calls that the rank below has entered, in order: it may be one barrier ahead.
    std::array<Offset, 2> heard{nobody, nobody};
  };
  void begin_round();
  void pass_on() const noexcept;

  Offset steps_ = 0;  // completed
  bool waits_in_step_ = false;
  Failure failure_;
  Failure heard_;  // reported by another rank
  std::shared_ptr<FaultState> outer_;
  std::shared_ptr<FaultState> kept_;

  static constexpr Offset nobody = std::numeric_limits<Offset>::max();
  Offset calls_ = 0;
  Offset skipped_ = -1;  // the last call without a conditional collective
  std::array<Round, 31> rounds_{};
  std::size_t round_ = 0;   // of the barrier in progress
  std::size_t needed_ = 0;  // number of rounds
};

}  // namespace trisweep::mpi
