#pragma once
// What a message costs on this machine, by its size and by how it travels (poster: the round-trip benchmark).

#include <string>
#include <vector>

#include "trisweep/mpi/transport.hpp"

namespace trisweep::measure {

// One-way times in seconds: half of a round trip between rank 0 and its peer, from the sender's call until
// the receiver has the data. Of many round trips.
struct PingPongSample {
  std::size_t bytes;
  double seconds_median;
  double seconds_min;
  double seconds_max;
};

struct PingPong {
  std::string name;
  std::vector<PingPongSample> samples;  // by size, the same on every rank
  std::string obstacle{};               // where there are none: why these ranks cannot have it
  bool is_transport = true;             // or only what others are compared with
};

// Every transport of the table, and `shared-window` where both ranks are on one node: there the receiver
// reads where the sender wrote, which is the least a message within a node can cost. Sizes: 8 bytes to
// `largest_bytes`, each four times the one before. Collective; throws Error(usage) on every rank when there
// is no rank `peer`, or it is rank 0.
std::vector<PingPong> ping_pong(const mpi::Communicator& comm, Index peer, std::size_t largest_bytes);

}  // namespace trisweep::measure
