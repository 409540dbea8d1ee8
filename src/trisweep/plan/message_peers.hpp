#pragma once
// The peer of each message of a phase, and the number of that message at the peer.

#include <span>

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// The ranks at the other ends of one rank's messages, by their numbers.
struct MessagePeers {
  std::vector<RankId> to;
  std::vector<RankId> from;
};
MessagePeers peers_of(const SweepPhase& phase);
MessagePeers peers_of(const ExchangePhase& phase);
MessagePeers peers_of(const DiagonalPhase& phase);
MessagePeers peers_of(const VectorPhase& phase);

// By sender and number there: the number at the receiver. `ranks`: all of them, in one phase. Throws
// Error(usage) when a message is one that its receiver does not expect.
std::vector<std::vector<Index>> numbers_at_receivers(std::span<const MessagePeers> ranks);

}  // namespace trisweep::plan
