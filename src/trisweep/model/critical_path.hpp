#pragma once
// What every rank did when, and what it waited for: enough to trace the critical path back from the end of a
// solve.

#include <vector>

#include "trisweep/model/simulate.hpp"

namespace trisweep::model {

// Work that a worker did without a pause.
struct Step {
  double begin;
  double end;
  double departed;  // when the message that it waited for left its sender
  Index rank;
  Index phase;
  Index supernode;     // or -1
  std::int32_t cause;  // the step that let it begin; -1 at the start
  Activity activity;
  Wait waited_for;
};

// The path from the first cause of step `last` to the end of that step.
std::vector<PathSegment> critical_path(const std::vector<Step>& steps, std::int32_t last);

}  // namespace trisweep::model
