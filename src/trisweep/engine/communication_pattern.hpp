#pragma once
// A plan's messages in the terms of a transport.

#include "trisweep/plan/plan.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::engine {

// Channel i carries the i-th phase of the plan (a diagonal phase has no messages); messages have the plan's
// numbers.
transport::CommunicationPattern pattern_of(const plan::Plan& plan, std::size_t row_bytes);

}  // namespace trisweep::engine
