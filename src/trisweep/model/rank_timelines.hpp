#pragma once
// Timelines of ranks that compute and send each other blocking messages, as mpi::Communicator does, for
// pricing a factorization (factorization.hpp).

#include <span>
#include <vector>

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

// Totals of one rank.
struct FactoringRank {
  double seconds = 0;          // until the rank is done
  double compute_seconds = 0;  // part of `seconds`: computing, by all workers together
  double message_seconds = 0;  // part of `seconds`: messages; the rest is waiting for other ranks
  double flops = 0;            // in the scalar's own arithmetic
  Offset messages = 0;         // sent
  Offset bytes = 0;            // sent
  Offset panel_bytes = 0;      // of the factors that it computes
  Offset peak_bytes = 0;       // most at once of panels, contribution blocks and shared fronts
  Offset place_bytes = 0;      // lists of where contribution blocks are added to its fronts
};

class RankTimelines {
 public:
  RankTimelines(Index ranks, const Machine& machine)
      : machine_(machine), rank_(usize(ranks)), live_(usize(ranks), 0) {}

  Index ranks() const { return static_cast<Index>(rank_.size()); }
  FactoringRank& operator[](Index rank) { return rank_[usize(rank)]; }

  void compute(Index rank, double seconds);
  // A message blocks its sender until it has arrived, unless it is eager.
  void send(Index from, Index to, Offset bytes);
  // Collective calls of some ranks, ascending (mpi/some_ranks.hpp): a broadcast along a binomial tree from
  // ranks[root], and an agreement by way of the first rank.
  void broadcast(std::span<const Index> ranks, std::size_t root, Offset bytes);
  void agree(std::span<const Index> ranks);
  // A reduction over all ranks.
  void wait_for_all();

  // Allocates `bytes` of memory, or frees them if negative.
  void take(Index rank, Offset bytes);

  std::vector<FactoringRank> finish() && { return std::move(rank_); }

 private:
  const Machine& machine_;
  std::vector<FactoringRank> rank_;
  std::vector<Offset> live_;  // bytes
};

}  // namespace trisweep::model
