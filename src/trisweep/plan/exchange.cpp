#include "trisweep/plan/exchange.hpp"

#include <map>

namespace trisweep::plan {

void pair_up(const distribution::Mapping& mapping, const distribution::Share& share, Index partner,
             Transfer transfer, HeldBy held_by, std::vector<ExchangeStep>& steps) {
  std::map<Index, ExchangeStep> by_rank;
  for (Index s = 0; s < share.segments(); ++s) {
    const Index k = share.segment[usize(s)];
    const distribution::LayerRange layers = mapping.layers_of(k);
    const Index held = layers.last - layers.first;
    if (!share.owned[usize(s)] || !layers.contains(partner) || held < held_by.fewest || held > held_by.most)
      continue;
    const Index rank = mapping.diagonal_owner(partner, k);
    ExchangeStep& step = by_rank.try_emplace(rank, ExchangeStep{transfer, rank, {}}).first->second;
    step.segment.push_back(s);
    step.rows += share.width(s);
  }
  for (auto& [rank, step] : by_rank) steps.push_back(std::move(step));
}

void number_steps(ExchangePhase& phase) {
  std::map<std::pair<Index, bool>, Index> next;  // by rank and direction
  for (ExchangeStep& step : phase.step) step.ordinal = next[{step.rank, step.transfer == Transfer::send}]++;
}

}  // namespace trisweep::plan
