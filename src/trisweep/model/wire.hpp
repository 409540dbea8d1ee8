#pragma once
// Arrival times of messages.

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

  double look_seconds() const { return network_.look_seconds; }
  bool leaves_node(Index from, Index to) const { return node(from) != node(to); }

  // Seconds of a flight, without queueing.
  double flight_seconds(Index from, Index to, double bytes) const {
    const Link& way = link(from, to);
    const double latencies = bytes > network_.eager_bytes ? 3 : 1;
    return latencies * way.latency + bytes / way.bandwidth;
  }

  // The arrival of a message that leaves its sender at `departed`. Messages that leave a node pass its
  // interface one after another, in the order of the calls, which is that of their departures. The flight
  // takes `noise` times flight_seconds().
  double arrival(Index from, Index to, double bytes, double departed, double noise) {
    if (leaves_node(from, to)) {
      double& free = free_[usize(node(from))];
      departed = std::max(departed, free);
      free = departed + bytes / machine_.injection_bandwidth;
    }
    return departed + flight_seconds(from, to, bytes) * noise;
  }

 private:
  Index node(Index rank) const { return rank / machine_.ranks_per_node; }

  const Machine& machine_;
  const Network& network_;
  std::vector<double> free_;  // by node: when its interface is free
};

}  // namespace trisweep::model
