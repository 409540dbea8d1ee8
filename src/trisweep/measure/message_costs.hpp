#pragma once
// The cost of a message to a rank that is busy with a solve.

#include "trisweep/mpi/transport.hpp"

namespace trisweep::measure {

// Seconds of processor time, beyond those of the products between which the rank sends and polls.
struct MessageCosts {
  double send = 0;     // a message
  double receive = 0;  // an arrived message: finding and receiving it
  double look = 0;     // polling in vain while messages are awaited
};

// Measures messages between rank 0 and `peer`. A ping-pong reuses the same few messages in cache and does
// nothing else; here each message has its own place, as in a plan, and a panel is read from memory between
// any two. `latency`, of a ping-pong in seconds, sets the number of messages. Collective; every rank gets
// rank 0's result.
MessageCosts message_costs(const mpi::Communicator& comm, Index peer, const std::string& transport,
                           double latency);

}  // namespace trisweep::measure
