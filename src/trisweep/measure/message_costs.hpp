#pragma once
// What a message costs a rank that is busy with a solve.

#include "trisweep/mpi/transport.hpp"

namespace trisweep::measure {

// Seconds of the rank's processor, beside the products between which it sends and looks.
struct MessageCosts {
  double send = 0;     // a message
  double receive = 0;  // one that has come: finding and receiving it
  double look = 0;     // a look that finds none while some are awaited
};

// Between rank 0 and its peer. A ping-pong has the same few messages in its caches, and nothing else to do;
// here each message has a place of its own, as in a plan, and between any two of them a panel is read from
// memory. `latency`: of a ping-pong, in seconds, by which it is decided how many to send. Collective; the
// result is that of rank 0, on every rank.
MessageCosts message_costs(const mpi::Communicator& comm, Index peer, const std::string& transport,
                           double latency);

}  // namespace trisweep::measure
