#include "trisweep/engine/communication_pattern.hpp"

namespace trisweep::engine {
namespace {

using mpi::PhaseMessages;

// Names a message by its supernode and kind.
template <class OneEnd>
mpi::Envelope envelope(const plan::SweepPhase& phase, const OneEnd& end, plan::RankId peer) {
  const plan::Segment& segment = phase.segment[end.segment];
  const Offset name = Offset{segment.supernode} * std::ssize(plan::message_kinds) +
                      static_cast<Offset>(plan::index_of(end.kind));
  return {peer.value(), name, segment.width};
}

PhaseMessages messages_of(const plan::SweepPhase& phase) {
  PhaseMessages messages;
  for (const plan::Incoming& m : phase.incoming) messages.in.push_back(envelope(phase, m, m.from));
  for (const plan::Outgoing& m : phase.outgoing) messages.out.push_back(envelope(phase, m, m.to));
  return messages;
}

// Layers identify each other's segments by the supernodes that both have; comparing numbers of rows suffices.
PhaseMessages messages_of(const plan::ExchangePhase& phase) {
  PhaseMessages messages;
  for (const plan::ExchangeStep& step : phase.step) {
    auto& list = step.transfer == plan::Transfer::send ? messages.out : messages.in;
    list.push_back({.peer = step.rank.value(), .name = 0, .rows = step.rows});
  }
  return messages;
}

PhaseMessages messages_of(const plan::DiagonalPhase&) {
  return {};
}

// There is one message between two ranks; comparing numbers of rows suffices.
PhaseMessages messages_of(const plan::VectorPhase& phase) {
  PhaseMessages messages;
  for (const plan::VectorMessage& m : phase.received)
    messages.in.push_back({.peer = m.rank.value(), .name = 0, .rows = std::ssize(m.row)});
  for (const plan::VectorMessage& m : phase.sent)
    messages.out.push_back({.peer = m.rank.value(), .name = 0, .rows = std::ssize(m.row)});
  return messages;
}

}  // namespace

mpi::CommunicationPattern pattern_of(const plan::Plan& plan, std::size_t row_bytes) {
  mpi::CommunicationPattern pattern{.phase = {}, .row_bytes = row_bytes};
  for (const auto& phase : plan.phase) {
    pattern.phase.push_back(std::visit([&](const auto& p) { return messages_of(p); }, phase));
  }
  return pattern;
}

}  // namespace trisweep::engine
