#include "trisweep/plan/without_dependencies.hpp"

namespace trisweep::plan {
namespace {

// Interior segments, and those that only arrive from other ranks, have nothing pending and stay unchanged, or
// wait only for their message.
void free_segments(SweepPhase& phase) {
  for (SegmentId s; s < phase.segment.end_key(); ++s) {
    Segment& segment = phase.segment[s];
    segment.next = no_segment;
    if (segment.counts_final) segment.pending = 1;
    if (segment.pending == 0 || segment.counts_final) continue;
    segment.pending = 0;
    phase.complete.push_back(s);
  }
}

}  // namespace

Plan without_dependencies(Plan plan) {
  for (Phase& phase : plan.phase) {
    if (auto* sweep = std::get_if<SweepPhase>(&phase)) free_segments(*sweep);
  }
  return plan;
}

}  // namespace trisweep::plan
