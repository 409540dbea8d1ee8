#include "trisweep/plan/exchange.hpp"

namespace trisweep::plan {
namespace {

// A reduction to the lowest layer and a broadcast back, along a binary tree over the `layers` that share the
// chosen supernodes: at each distance the upper layer of a pair hands its sums to the lower one and is done.
void reduce_and_broadcast(Index layers, Index z, HeldBy held_by, ExchangeSpec& steps) {
  Index distance = 1;
  for (; distance < layers && z % (2 * distance) == 0; distance *= 2) {
    steps.push_back({z + distance, Transfer::receive_add, held_by});
  }
  if (distance < layers) {
    steps.push_back({z - distance, Transfer::send, held_by});
    steps.push_back({z - distance, Transfer::receive_copy, held_by});
  }
  for (distance /= 2; distance >= 1; distance /= 2) {
    steps.push_back({z + distance, Transfer::send, held_by});
  }
}

}  // namespace

ExchangeSpec sparse_allreduce(Index layers, Index layer) {
  ExchangeSpec steps;
  reduce_and_broadcast(layers, layer, {}, steps);
  return steps;
}

ExchangeSpec per_node_allreduce(Index layers, Index layer) {
  ExchangeSpec steps;
  for (Index held = 2; held <= layers; held *= 2) {
    reduce_and_broadcast(held, layer, {.fewest = held, .most = held}, steps);
  }
  return steps;
}

}  // namespace trisweep::plan
