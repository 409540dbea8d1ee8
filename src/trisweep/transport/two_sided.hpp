#pragma once
// Message-driven two-sided MPI (2018 paper, Algorithms 1 and 2: MPI_Isend, and a receiver that does not know
// what comes next). The receiver takes any message of the phase that is open and learns from sender and tag
// which it is. Each phase has two communicators of its own: see epochs.hpp.

#include <deque>

#include "trisweep/transport/epochs.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::transport {

class TwoSided final : public Transport {
 public:
  // Collective. Throws Error(environment) on every rank when this MPI's tags are too narrow.
  TwoSided(const Communicator& comm, const Traffic& traffic);

  void open_phase(Index phase) override { phase_ = phase; }
  void send(Index to, int tag, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override { return poll(MPI_ANY_SOURCE, MPI_ANY_TAG); }
  std::optional<Arrival> poll(Index from, int tag) override;
  void receive(Arrival& arrival, void* data, std::size_t bytes) override;
  void close_phase(Patience& patience) override;
  void close_solve(Patience& patience) override { epochs_.close(patience); }

 private:
  MPI_Comm comm() const { return channels_[usize(2 * phase_ + epochs_.parity())].handle(); }

  Communicator own_;
  std::deque<Communicator> channels_;  // by phase and parity of the solve
  Epochs epochs_;
  std::vector<MPI_Request> requests_;  // of this phase's sends
  Index phase_ = 0;
};

}  // namespace trisweep::transport
