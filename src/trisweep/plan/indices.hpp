#pragma once
// The index types of a plan, one for each kind of object. Supernodes and layers have plain indices, as in the
// structure and the mapping.

#include "trisweep/core/strong_index.hpp"

namespace trisweep::plan {

using RankId = StrongIndex<struct RankKind>;  // of the mapping

using SegmentId = StrongIndex<struct SegmentKind>;  // of a phase
inline constexpr SegmentId no_segment{-1};

using WorkRow = StrongIndex<struct WorkRowKind>;  // of a rank's work vector
inline constexpr WorkRow no_row{-1};

}  // namespace trisweep::plan
