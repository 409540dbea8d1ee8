#pragma once
// When messages arrive.

#include <algorithm>

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

class Wire {
 public:
  Wire(const Machine& machine, const Network& network, Index ranks)
      : machine_(machine), network_(network), free_(usize(ranks / machine.ranks_per_node + 1), 0.0) {}

  const Link& link(Index from, Index to) const {
    return node(from) == node(to) ? network_.inside : network_.between;
  }

  bool keeps_sender() const { return network_.flushed; }

  // Of a message that leaves its sender at `departed`. What leaves a node passes its interface one message
  // after another, in the order of the calls.
  double arrival(Index from, Index to, double bytes, double departed) {
    const Link& way = link(from, to);
    if (node(from) != node(to)) {
      double& free = free_[usize(node(from))];
      departed = std::max(departed, free);
      free = departed + bytes / machine_.injection_bandwidth;
    }
    const double latencies = bytes > network_.eager_bytes ? 3 : 1;
    return departed + latencies * way.latency + bytes / way.bandwidth;
  }

 private:
  Index node(Index rank) const { return rank / machine_.ranks_per_node; }

  const Machine& machine_;
  const Network& network_;
  std::vector<double> free_;  // nodes: when the interface is
};

}  // namespace trisweep::model
