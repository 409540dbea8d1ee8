#pragma once
// The messages of a plan as a transport's communication pattern.

#include "trisweep/mpi/transport.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// Channel i carries the i-th phase of the plan (a diagonal phase has no messages); messages have the plan's
// numbers.
mpi::CommunicationPattern pattern_of(const plan::Plan& plan, std::size_t row_bytes);

}  // namespace trisweep::engine
