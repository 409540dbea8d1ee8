#pragma once
// A plan's messages in the terms of a transport.

#include "trisweep/plan/plan.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::engine {

// Tags of a sweep's messages. In an exchange the tag is ExchangeStep::ordinal.
inline int tag_of(Index supernode, plan::MessageKind kind) {
  return 2 * supernode + static_cast<int>(kind);
}
struct Tagged {
  Index supernode;
  plan::MessageKind kind;
};
inline Tagged what_is(int tag) {
  return {tag / 2, static_cast<plan::MessageKind>(tag % 2)};
}

// Channel i carries the i-th phase of the plan (a diagonal phase has no messages).
transport::Traffic traffic_of(const plan::Plan& plan, std::size_t row_bytes);

}  // namespace trisweep::engine
