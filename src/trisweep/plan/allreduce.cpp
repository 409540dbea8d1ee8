#include "trisweep/plan/exchange.hpp"

namespace trisweep::plan {
namespace {

// A reduction to the lowest layer and a broadcast back, along a binary tree over the `layers` that share the
// chosen supernodes: at each distance the upper layer of a pair hands its sums to the lower one and is done.
void reduce_and_broadcast(const distribution::Mapping& mapping, const distribution::Share& share,
                          Index layers, HeldBy held_by, std::vector<ExchangeStep>& steps) {
  const Index z = share.layer;
  Index distance = 1;
  for (; distance < layers && z % (2 * distance) == 0; distance *= 2) {
    pair_up(mapping, share, z + distance, Transfer::receive_add, held_by, steps);
  }
  if (distance < layers) {
    pair_up(mapping, share, z - distance, Transfer::send, held_by, steps);
    pair_up(mapping, share, z - distance, Transfer::receive_copy, held_by, steps);
  }
  for (distance /= 2; distance >= 1; distance /= 2) {
    pair_up(mapping, share, z + distance, Transfer::send, held_by, steps);
  }
}

}  // namespace

ExchangePhase sparse_allreduce(const distribution::Mapping& mapping, const distribution::Share& share) {
  ExchangePhase phase;
  reduce_and_broadcast(mapping, share, mapping.layers(), {}, phase.step);
  return phase;
}

ExchangePhase per_node_allreduce(const distribution::Mapping& mapping, const distribution::Share& share) {
  ExchangePhase phase;
  for (Index layers = 2; layers <= mapping.layers(); layers *= 2) {
    reduce_and_broadcast(mapping, share, layers, {.fewest = layers, .most = layers}, phase.step);
  }
  return phase;
}

}  // namespace trisweep::plan
