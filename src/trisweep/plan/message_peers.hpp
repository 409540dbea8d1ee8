#pragma once
// The peer of each message of a phase, and the number of that message at the peer.

#include <span>

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// The ranks at the other ends of one rank's messages, by message number.
struct MessagePeers {
  std::vector<RankId> to;
  std::vector<RankId> from;
};
MessagePeers peers_of(const SweepPhase& phase);
MessagePeers peers_of(const ExchangePhase& phase);
MessagePeers peers_of(const DiagonalPhase& phase);
MessagePeers peers_of(const VectorPhase& phase);

// By sender and message number at the sender: the message number at the receiver. `ranks`: the peers of all
// ranks, in one phase. Throws Error(usage) if a receiver does not expect a message.
std::vector<std::vector<Index>> numbers_at_receivers(std::span<const MessagePeers> ranks);

}  // namespace trisweep::plan
