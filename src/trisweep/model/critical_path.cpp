#include "trisweep/model/critical_path.hpp"

#include <algorithm>

namespace trisweep::model {
namespace {

// The part of a step that is on the path: up to the moment when the next step could begin, or when the
// message that the next step waited for left.
PathSegment segment_of(const Step& step, double until, Index from) {
  const bool message = step.waited_for == Wait::message;
  return {.rank = step.rank,
          .phase = step.phase,
          .activity = step.activity,
          .waited_for = step.waited_for,
          .from = from,
          .supernode = step.supernode,
          .flight_seconds = message ? step.begin - step.departed : 0,
          .begin = step.begin,
          .end = until,
          .steps = 1};
}

bool continues(const PathSegment& later, const PathSegment& earlier) {
  return later.rank == earlier.rank && later.phase == earlier.phase && later.activity == earlier.activity &&
         later.waited_for == earlier.waited_for && later.waited_for != Wait::message;
}

}  // namespace

std::string_view name_of(Wait wait) {
  constexpr std::array<std::string_view, 4> names{"nothing", "task", "rank", "message"};
  return names[static_cast<std::size_t>(wait)];
}
std::string_view name_of(Activity activity) {
  constexpr std::array<std::string_view, 6> names{"start",    "task",     "receive",
                                                  "exchange", "diagonal", "vectors"};
  return names[static_cast<std::size_t>(activity)];
}

std::vector<PathSegment> critical_path(const std::vector<Step>& steps, std::int32_t last) {
  std::vector<PathSegment> path;
  double until = last < 0 ? 0 : steps[usize(last)].end;
  for (std::int32_t at = last; at >= 0; at = steps[usize(at)].cause) {
    const Step& step = steps[usize(at)];
    const bool message = step.waited_for == Wait::message;
    const PathSegment segment = segment_of(step, until, message ? steps[usize(step.cause)].rank : -1);
    until = message ? step.departed : step.begin;
    if (!path.empty() && continues(path.back(), segment)) {
      path.back().begin = segment.begin;
      path.back().supernode = segment.supernode;
      ++path.back().steps;
    } else {
      path.push_back(segment);
    }
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace trisweep::model
