#pragma once
// What every rank did when, and what made it wait: enough to walk back from the end of a solve to its cause.

#include <vector>

#include "trisweep/model/simulate.hpp"

namespace trisweep::model {

// Something that a worker did without a pause.
struct Step {
  double begin;
  double end;
  double departed;  // of the message it waited for: when it left its sender
  Index rank;
  Index phase;
  Index supernode;     // or -1
  std::int32_t cause;  // the step that let it begin; -1 at the start
  Activity activity;
  Wait waited_for;
};

// From the first cause of step `last` to its end.
std::vector<PathSegment> critical_path(const std::vector<Step>& steps, std::int32_t last);

}  // namespace trisweep::model
