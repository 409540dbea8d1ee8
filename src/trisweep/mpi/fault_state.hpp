#pragma once
// The fault state of a distributed object, shared by its communicators.
//
// An error on one rank inside a collective operation would leave the others waiting. So the rank *revokes*
// the object: it notifies the others, whose waits end in the same error. A revoked object neither
// communicates nor waits, destructors included. Messages may still be in flight: communicators, windows and
// memory that MPI may read or write are never freed (Buffer::release). A caught error therefore costs memory
// only; but MPICH's MPI_Finalize asserts where one-sided windows are left.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

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
  // `comm`: all the ranks; faults are sent there.
  void bind(MPI_Comm comm, Index rank, Index size);

  bool revoked() const { return failure_.failed; }
  // The error that revoked the object.
  const Failure& failure() const { return failure_; }
  // This rank has failed: notifies the others. `self` is this object, which is never freed.
  void revoke(const Failure& failure, std::shared_ptr<FaultState> self) noexcept;
  // Whether another rank has reported a failure, or waits in a conditional collective that this rank has
  // skipped; either revokes the object here, too. A failure of a rank that has completed the step in which
  // this rank waits is not reported yet: the step will complete, with the same outcome on all ranks.
  bool poll_faults(const std::shared_ptr<FaultState>& self);

  // A vote or a reduction: wait(), which may call poll_faults() and throw, until it is complete. Once one
  // rank has completed it, all have entered it. (Not a broadcast: its root may complete it and fail before a
  // rank that forwards it has entered.)
  template <class Wait>
  void step(const Wait& wait) {
    waits_in_step_ = true;
    wait();
    waits_in_step_ = false;
    ++steps_;
  }

  Offset steps() const { return steps_; }

  // A *conditional collective* is a step that a call enters on all ranks or on none, depending on its
  // arguments. A rank that enters it notifies the others, so that a rank that has skipped it in the same call
  // learns of the mismatch at its next wait, and no rank waits forever. Calls are numbered in order.
  void enter_conditional(Offset call);
  // Throws Error(usage) when some rank has entered in another call.
  bool all_have_entered();
  void skip_conditional(Offset call) { skipped_ = call; }

  // All ranks threw the same error in their last collective step: destructors may still communicate.
  bool agreed = false;
  // For a vote, and for a reduction or a short broadcast, that is under way.
  Index ballot = 0;
  alignas(std::max_align_t) std::array<std::byte, 8192> note{};

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Index rank_ = 0;
  Index size_ = 1;
  void poll_entries();
  bool poll_failure();

  Offset steps_ = 0;  // completed
  bool waits_in_step_ = false;
  Failure failure_;
  Failure heard_;  // reported by another rank
  std::shared_ptr<FaultState> kept_;

  static constexpr Offset nobody = std::numeric_limits<Offset>::max();
  Offset skipped_ = -1;            // the last call without a conditional collective
  Offset entering_ = -1;           // the call of the last conditional collective: what is sent
  Offset first_entered_ = nobody;  // the least of entered_
  std::vector<Offset> entered_;    // by rank: the call with the conditional collective that it waits in
  std::vector<MPI_Request> told_;  // by rank
};

}  // namespace trisweep::mpi
