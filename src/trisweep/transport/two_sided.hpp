#pragma once
// Message-driven two-sided MPI for the sweeps: the receiver does not know what comes next, so it takes any
// message of the phase that is open and learns from the tag which segment it is about.
//
// Solves follow each other without a global barrier, so a fast rank may already send for the next phase or
// the next solve. Each phase has a communicator of its own, twice, used by even and odd solves in turn. That
// suffices because no rank is ever two solves ahead: close_solve() starts a non-blocking barrier that only
// the close of the following solve waits for, by which time it has long been passed.

#include <array>
#include <deque>
#include <optional>

#include "trisweep/transport/communicator.hpp"

namespace trisweep::transport {

enum class MessageKind { broadcast, reduction };

// A message that has arrived and waits to be received.
struct Arrival {
  Index supernode;
  MessageKind kind;
  std::size_t bytes;
  MPI_Message message;
};

class TwoSided {
 public:
  // Collective over `parent`. `phases`: sweeps in one solve. `supernodes` bounds the tags; throws
  // Error(environment) when this MPI's tags are too narrow.
  TwoSided(MPI_Comm parent, Index phases, Index supernodes);
  ~TwoSided();
  TwoSided(const TwoSided&) = delete;
  TwoSided& operator=(const TwoSided&) = delete;

  // Room for that many messages sent in one phase.
  void reserve(std::size_t sends);
  void open_phase(Index phase);
  // `data` must stay as it is until the phase is closed.
  void send(Index to, Index supernode, MessageKind kind, const void* data, std::size_t bytes);
  std::optional<Arrival> poll();
  Arrival wait();
  // Throws Error(environment) when the message is not of `bytes` bytes: then the ranks' plans disagree.
  void receive(Arrival& arrival, void* data, std::size_t bytes);
  // Waits until every message of the phase has left; all of its receives have been made by then.
  void close_phase();
  void close_solve();

 private:
  MPI_Comm comm() const { return channels_[usize(2 * phase_ + epoch_ % 2)].handle(); }
  Arrival arrived(const MPI_Status& status, MPI_Message message) const;

  std::deque<Communicator> channels_;  // by phase and parity of the solve
  std::vector<MPI_Request> requests_;
  std::size_t pending_ = 0;  // requests in use
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  Index phase_ = 0;
  Offset epoch_ = 0;
};

}  // namespace trisweep::transport
