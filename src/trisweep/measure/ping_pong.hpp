#pragma once
// Message times on this machine, by size and transport (poster: the round-trip benchmark).

#include <string>
#include <vector>

#include "trisweep/mpi/transport.hpp"

namespace trisweep::measure {

// One-way times in seconds: half of a round trip between rank 0 and its peer, from the sender's call until
// the receiver has the data. Statistics of many round trips.
struct PingPongSample {
  std::size_t bytes;
  double seconds_median;
  double seconds_min;
  double seconds_max;
};

struct PingPong {
  std::string name;
  std::vector<PingPongSample> samples;  // by size, the same on every rank
  std::string obstacle{};               // why these ranks cannot use it; then no samples
  bool is_transport = true;             // false: only a standard of comparison
};

// Times every transport of the table and, if both ranks are on one node, `shared-window`: the receiver reads
// where the sender wrote, which is the least a message within a node can cost. Sizes: 8 bytes to
// `largest_bytes`, each four times the one before. Collective; throws Error(usage) on every rank when there
// is no rank `peer`, or it is rank 0.
std::vector<PingPong> ping_pong(const mpi::Communicator& comm, Index peer, std::size_t largest_bytes);

}  // namespace trisweep::measure
