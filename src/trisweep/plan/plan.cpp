#include "trisweep/plan/plan.hpp"

#include <algorithm>
#include <tuple>

namespace trisweep::plan {

std::size_t SweepPhase::place_of(Index supernode, MessageKind kind, Index from) const {
  const auto key = [&](const Incoming& m) {
    return std::tuple(segment[usize(m.segment)].supernode, m.kind, m.from);
  };
  const auto at = std::lower_bound(incoming.begin(), incoming.end(), std::tuple(supernode, kind, from),
                                   [&](const Incoming& m, const auto& wanted) { return key(m) < wanted; });
  return static_cast<std::size_t>(at - incoming.begin());
}

}  // namespace trisweep::plan
