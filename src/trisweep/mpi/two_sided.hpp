#pragma once
// Message-driven two-sided MPI (2018 paper, Algorithms 1 and 2: MPI_Isend, and a receiver that does not know
// which message comes next). The receiver takes any available message and identifies it by sender and tag. A
// message of a later phase, from a rank that is ahead, is set aside until that phase is opened; epochs.hpp
// explains why no rank can be further ahead.
//
// MPI guarantees no more than 32768 tags. So both ends number the messages from one rank to the other, in
// order of phase and list, separately for even and odd solves: this number is the tag.

#include <unordered_map>
#include <vector>

#include "trisweep/mpi/epochs.hpp"
#include "trisweep/mpi/transport.hpp"

namespace trisweep::mpi {

class TwoSided : public Transport {
 public:
  // Collective. Throws Error(environment) on every rank if this MPI's largest tag is too small.
  TwoSided(const Communicator& comm, const CommunicationPattern& pattern);

  void open_phase(Index phase) override { phase_ = phase; }
  void send(Index number, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override { return poll(any); }
  std::optional<Arrival> poll(Index number) override;
  void receive(Arrival& arrival, void* data, std::size_t bytes) override;
  void close_phase(Watchdog& watchdog) override;
  void close_solve(Watchdog& watchdog) override { epochs_.close(watchdog); }

 private:
  static constexpr Index any = -1;

  struct Outgoing {
    Index to;
    int tag;  // in even solves; in odd ones one more
  };
  struct Incoming {
    Index phase;
    Index number;
  };
  void make_lists(const CommunicationPattern& pattern);
  void require_tags(Index peer, std::size_t messages) const;

  struct Come {
    std::size_t place;
    Arrival arrival;
  };
  Come identify(const MPI_Status& status, MPI_Message message) const;
  // Index of a message's list in `early_`.
  static std::size_t place(Index phase, Index parity) { return usize(2 * phase + parity); }
  std::size_t open_place() const { return place(phase_, epochs_.parity()); }
  std::optional<Arrival> take_early(Index number);

  Communicator own_;
  Epochs epochs_;
  std::unordered_map<Index, std::vector<Incoming>> in_;  // by sender, in the order of the tags
  std::vector<std::vector<Outgoing>> out_;               // by phase and number
  std::vector<std::vector<Arrival>> early_;              // by place
  std::vector<MPI_Request> requests_;                    // of this phase's sends
  Index phase_ = 0;
};

}  // namespace trisweep::mpi
