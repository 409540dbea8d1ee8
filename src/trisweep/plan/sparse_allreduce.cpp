#include <algorithm>
#include <map>

#include "trisweep/plan/exchange.hpp"

namespace trisweep::plan {
namespace {

using distribution::Mapping;
using distribution::Share;

// One step with every rank of layer `partner` that owns the same supernodes: those held by both layers.
void pair_up(const Mapping& mapping, const Share& share, Index partner, Transfer transfer,
             std::vector<ExchangeStep>& steps) {
  std::map<Index, ExchangeStep> by_rank;
  for (Index s = 0; s < share.segments(); ++s) {
    const Index k = share.segment[usize(s)];
    if (!share.owned[usize(s)] || !mapping.layers_of(k).contains(partner)) continue;
    const Index rank = mapping.diagonal_owner(partner, k);
    ExchangeStep& step = by_rank.try_emplace(rank, ExchangeStep{transfer, rank, {}}).first->second;
    step.segment.push_back(s);
    step.rows += share.width(s);
  }
  for (auto& [rank, step] : by_rank) steps.push_back(std::move(step));
}

}  // namespace

ExchangePhase sparse_allreduce(const Mapping& mapping, const Share& share) {
  const Index z = share.layer;
  ExchangePhase phase;
  // Reduce: at each distance the upper layer of a pair hands its sums to the lower one and is done.
  Index distance = 1;
  for (; distance < mapping.layers() && z % (2 * distance) == 0; distance *= 2) {
    pair_up(mapping, share, z + distance, Transfer::receive_add, phase.step);
  }
  if (distance < mapping.layers()) {
    pair_up(mapping, share, z - distance, Transfer::send, phase.step);
    pair_up(mapping, share, z - distance, Transfer::receive_copy, phase.step);
  }
  // Broadcast: the same pairs, backward.
  for (distance /= 2; distance >= 1; distance /= 2) {
    pair_up(mapping, share, z + distance, Transfer::send, phase.step);
  }
  return phase;
}

}  // namespace trisweep::plan
