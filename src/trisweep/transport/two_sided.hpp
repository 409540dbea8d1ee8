#pragma once
// Message-driven two-sided MPI (2018 paper, Algorithms 1 and 2: MPI_Isend, and a receiver that does not know
// what comes next). The receiver takes any message there is and learns from sender and tag which it is. What
// comes early, from a rank that is ahead, waits aside until its phase is opened; see epochs.hpp for why it
// cannot be further ahead.
//
// MPI promises no more than 32768 tags. So both ends count the messages that one rank has for another, by
// phase and tag, and twice for even and odd solves: this number is the tag.

#include <vector>

#include "trisweep/transport/epochs.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::transport {

class TwoSided : public Transport {
 public:
  static constexpr int any = -1;  // sender or tag

  // Collective. Throws Error(environment) on every rank when this MPI's tags are too narrow.
  TwoSided(const Communicator& comm, const Traffic& traffic);

  void open_phase(Index phase) override { phase_ = phase; }
  void send(Index to, int tag, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override { return poll(any, any); }
  std::optional<Arrival> poll(Index from, int tag) override;
  void receive(Arrival& arrival, void* data, std::size_t bytes) override;
  void close_phase(Patience& patience) override;
  void close_solve(Patience& patience) override { epochs_.close(patience); }

 private:
  // One message at one of its ends.
  struct Numbered {
    Index phase;
    Index peer;
    int tag;       // in its phase
    Index number;  // in its phase's list
    int whole;     // MPI's tag in even solves; in odd ones one more
  };
  using Direction = std::vector<Message> PhaseMessages::*;
  // By peer, then in the order of MPI's tags.
  static std::vector<Numbered> numbered(const Traffic& traffic, Direction direction);
  void make_lists(const Traffic& traffic, Index ranks);
  void require_tags(const std::vector<Numbered>& list) const;

  int tag_of(Index to, int tag) const;
  struct Come {
    std::size_t place;
    Arrival arrival;
  };
  Come identify(const MPI_Status& status, MPI_Message message) const;
  // Where a message belongs, in `early_`.
  static std::size_t place(Index phase, Index parity) { return usize(2 * phase + parity); }
  std::size_t open_place() const { return place(phase_, epochs_.parity()); }
  std::optional<Arrival> take_early(Index from, int tag);

  Communicator own_;
  Epochs epochs_;
  std::vector<Numbered> in_;                 // by peer
  std::vector<std::size_t> in_from_;         // where those of a peer begin
  std::vector<Numbered> out_;                // by phase, peer and tag
  std::vector<std::size_t> out_of_;          // where those of a phase begin
  std::vector<std::vector<Arrival>> early_;  // by place
  std::vector<MPI_Request> requests_;        // of this phase's sends
  Index phase_ = 0;
};

}  // namespace trisweep::transport
