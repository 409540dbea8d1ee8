#include "trisweep/plan/exchange.hpp"

#include <map>

namespace trisweep::plan {
namespace {

// Appends a message with each rank of the partner layer that owns segments which this rank owns, too; or, if
// not packed, one for each such segment.
void pair_up(const distribution::Mapping& mapping, const distribution::LocalBlocks& local_blocks,
             const LayerStep& with, std::vector<ExchangeStep>& steps) {
  std::map<std::pair<Index, RankId>, ExchangeStep> messages;  // by segment, if not packed, and rank
  for (Index s = 0; s < local_blocks.segments(); ++s) {
    const Index k = local_blocks.segment[usize(s)];
    if (!local_blocks.owned[usize(s)] || !with.moves(k, mapping.layers_of(k))) continue;
    const RankId rank(mapping.diagonal_owner(with.partner, k));
    const std::pair message(with.packed ? 0 : s, rank);
    ExchangeStep& step = messages.try_emplace(message, ExchangeStep{with.transfer, rank, {}}).first->second;
    step.segment.push_back(SegmentId(s));
    step.rows += local_blocks.width(s);
  }
  for (auto& [message, step] : messages) steps.push_back(std::move(step));
}

// Numbers messages in the order of the steps, which matches the order of the partner's steps.
void number_steps(ExchangePhase& phase) {
  Index sent = 0, received = 0;
  for (ExchangeStep& step : phase.step) step.number = (step.transfer == Transfer::send ? sent : received)++;
}

}  // namespace

ExchangePhase make_exchange(const distribution::Mapping& mapping,
                            const distribution::LocalBlocks& local_blocks, const ExchangeSpec& spec) {
  ExchangePhase phase;
  for (const LayerStep& step : spec) pair_up(mapping, local_blocks, step, phase.step);
  number_steps(phase);
  return phase;
}

}  // namespace trisweep::plan
