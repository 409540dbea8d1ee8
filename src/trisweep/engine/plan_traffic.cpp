#include "trisweep/engine/plan_traffic.hpp"

namespace trisweep::engine {
namespace {

using plan::MessageKind;
using transport::PhaseMessages;

PhaseMessages messages_of(const plan::SweepPhase& phase) {
  PhaseMessages messages;
  const auto message = [&](Index s, MessageKind kind, Index peer) {
    const plan::Segment& segment = phase.segment[usize(s)];
    return transport::Message{peer, tag_of(segment.supernode, kind), segment.width};
  };
  for (const plan::Incoming& m : phase.incoming) messages.in.push_back(message(m.segment, m.kind, m.from));
  for (Index s = 0; s < static_cast<Index>(phase.segment.size()); ++s) {
    const plan::Segment& segment = phase.segment[usize(s)];
    for (Index c = segment.child_begin; c < segment.child_end; ++c)
      messages.out.push_back(message(s, MessageKind::broadcast, phase.child[usize(c)]));
    if (segment.parent >= 0) messages.out.push_back(message(s, MessageKind::reduction, segment.parent));
  }
  return messages;
}

PhaseMessages messages_of(const plan::ExchangePhase& phase) {
  PhaseMessages messages;
  for (const plan::ExchangeStep& step : phase.step) {
    auto& list = step.transfer == plan::Transfer::send ? messages.out : messages.in;
    list.push_back({step.rank, step.ordinal, step.rows});
  }
  return messages;
}

PhaseMessages messages_of(const plan::DiagonalPhase&) {
  return {};
}

}  // namespace

transport::Traffic traffic_of(const plan::Plan& plan, std::size_t row_bytes) {
  transport::Traffic traffic{.phase = {}, .row_bytes = row_bytes};
  for (const auto& phase : plan.phase) {
    traffic.phase.push_back(std::visit([&](const auto& p) { return messages_of(p); }, phase));
  }
  return traffic;
}

}  // namespace trisweep::engine
