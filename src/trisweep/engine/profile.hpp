#pragma once
// Times and traffic of a rank in one phase or solve.

#include <array>

#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// Messages and their payload.
struct MessageTotals {
  Offset messages = 0;  // their number
  Offset bytes = 0;     // of payload

  // Adds those of another phase or solve.
  MessageTotals& operator+=(const MessageTotals& other) noexcept {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  // True if both are equal.
  bool operator==(const MessageTotals&) const = default;
};

// One phase of a solve on one rank.
struct PhaseProfile {
  double seconds = 0;  // from its beginning to its end, waiting included
  // Time in products, the mean over the rank's threads; known only with a recorder, as is the next member.
  double floating_point_seconds = 0;
  double idle_seconds = 0;                                       // without a task to run or a message to take
  std::array<MessageTotals, plan::message_kinds.size()> sent{};  // by MessageKind
  std::array<MessageTotals, plan::message_kinds.size()> received{};  // by MessageKind

  // Adds another phase.
  PhaseProfile& operator+=(const PhaseProfile& other) noexcept {
    seconds += other.seconds;
    floating_point_seconds += other.floating_point_seconds;
    idle_seconds += other.idle_seconds;
    for (std::size_t k = 0; k < sent.size(); ++k) {
      sent[k] += other.sent[k];
      received[k] += other.received[k];
    }
    return *this;
  }
};

// Times and traffic of one rank in a solve.
struct SolveProfile {
  double seconds = 0;       // the whole call
  PhaseProfile l;           // forward sweep
  PhaseProfile u;           // backward sweep
  PhaseProfile inter_grid;  // exchange between layers
  PhaseProfile diagonal;    // products with the inverted diagonal blocks
  PhaseProfile vectors;     // moving b in, and x out

  // The phase of that part of a plan.
  PhaseProfile& of(plan::Part part) noexcept {
    switch (part) {
      case plan::Part::forward:
        return l;
      case plan::Part::backward:
        return u;
      case plan::Part::exchange:
        return inter_grid;
      case plan::Part::diagonal:
        return diagonal;
      case plan::Part::vectors:
        break;
    }
    return vectors;
  }
  // Adds another solve.
  SolveProfile& operator+=(const SolveProfile& other) noexcept {
    seconds += other.seconds;
    for (PhaseProfile SolveProfile::*part : {&SolveProfile::l, &SolveProfile::u, &SolveProfile::inter_grid,
                                             &SolveProfile::diagonal, &SolveProfile::vectors})
      this->*part += other.*part;
    return *this;
  }
  // All phases together.
  PhaseProfile sum() const {
    PhaseProfile all = l;
    for (const PhaseProfile* part : {&u, &inter_grid, &diagonal, &vectors}) all += *part;
    return all;
  }
};

}  // namespace trisweep::engine
