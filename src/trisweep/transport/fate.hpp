#pragma once
// Whether the ranks of an object still work together.
//
// An error that one rank meets alone, in the middle of something collective, leaves the others waiting for
// it: the object is *abandoned*. The rank tells the others so, whose waits then end in the same error. From
// then on nothing that belongs to the object communicates or waits, destructors included. Messages may be
// under way all the same: communicators, windows and memory that MPI may still read or write are never freed
// (Buffer::release). So an error that is caught costs memory, and nothing else; but MPICH ends MPI_Finalize
// with an assertion where windows (one-sided) are left.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::transport {

// An error that some rank met, about to be made everybody's. Of a fixed size: told, and sent, without
// allocating anything.
struct Failure {
  bool failed = false;
  bool stalled = false;  // waiting was called off
  ErrorKind kind = ErrorKind::environment;
  Offset steps = 0;  // collective ones that the rank had behind it: see Fate::step
  std::array<char, 2028> text{};

  Failure() = default;
  Failure(ErrorKind the_kind, std::string_view message);
  const char* message() const { return text.data(); }
};
// The exception being handled, as data.
Failure current_failure();

class Fate {
 public:
  // `comm`: of all the ranks; they are told there.
  void bind(MPI_Comm comm, Index rank, Index size);

  bool abandoned() const { return failure_.failed; }
  // Of the error that it was abandoned with.
  const Failure& failure() const { return failure_; }
  // This rank has failed, and tells the others. `self` is this object, which is kept for good.
  void abandon(const Failure& failure, std::shared_ptr<Fate> self) noexcept;
  // Whether another rank has said that it failed, or waits in a meeting that this one has passed by; either
  // abandons the object here, too. While this rank waits in a step that the other one has behind it, that is
  // no news yet: the step will be complete, and ends on all ranks alike.
  bool listen(const std::shared_ptr<Fate>& self);

  // A vote or a reduction: wait(), which may call listen() and throw, until it is complete. Where one rank
  // has it behind it, all have come to it. (No broadcast: its root may be done, and fail, while a rank that
  // is to pass it on hears of that before it comes.)
  template <class Wait>
  void step(const Wait& wait) {
    waits_in_step_ = true;
    wait();
    waits_in_step_ = false;
    ++steps_;
  }

  Offset steps() const { return steps_; }

  // A *meeting* is a collective step that the calls of an object have on all ranks or on none, by what they
  // are called with. Whoever comes to it tells the others, so that one who has passed it by in the same call
  // hears that when it waits next, and nobody waits for ever. Calls are numbered as the ranks make them.
  void come(Offset call);
  // Throws Error(usage) when some rank has come in another call.
  bool all_have_come();
  void pass_by(Offset call) { passed_ = call; }

  // All ranks threw the same error in their last collective step: destructors still run together.
  bool agreed = false;
  // For a vote, and for a reduction or a short broadcast, that is under way.
  Index ballot = 0;
  alignas(std::max_align_t) std::array<std::byte, 8192> note{};

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Index rank_ = 0;
  Index size_ = 1;
  void hear_who_came();
  bool hear_of_failure();

  Offset steps_ = 0;  // that are behind this rank
  bool waits_in_step_ = false;
  Failure failure_;
  Failure heard_;  // of another rank
  std::shared_ptr<Fate> kept_;

  static constexpr Offset nobody = std::numeric_limits<Offset>::max();
  Offset passed_ = -1;             // the last call without a meeting
  Offset coming_ = -1;             // the call of the last meeting: what is sent
  Offset first_came_ = nobody;     // the least of came_
  std::vector<Offset> came_;       // by rank: the call with the meeting that it waits in
  std::vector<MPI_Request> told_;  // by rank
};

}  // namespace trisweep::transport
