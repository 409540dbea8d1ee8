#pragma once
// Message-driven two-sided MPI (2018 paper, Algorithms 1 and 2: MPI_Isend, and a receiver that does not know
// what comes next). The receiver takes any message there is and learns from sender and tag which it is. The
// tag tells the phase and the parity of the solve, too: what comes early, from a rank that is ahead, waits
// aside until its phase is opened; see epochs.hpp for why it cannot be further ahead.

#include <deque>
#include <vector>

#include "trisweep/transport/epochs.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::transport {

class TwoSided final : public Transport {
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
  // Of a message's tag: where it belongs, and its tag there.
  std::size_t place(Index phase) const { return usize(2 * phase + epochs_.parity()); }
  std::optional<Arrival> take_early(Index from, int tag);

  Communicator own_;
  Epochs epochs_;
  int tags_ = 1;                            // of one phase
  std::vector<std::deque<Arrival>> early_;  // by place
  std::vector<MPI_Request> requests_;       // of this phase's sends
  Index phase_ = 0;
};

}  // namespace trisweep::transport
