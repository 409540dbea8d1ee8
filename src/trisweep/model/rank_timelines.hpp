#pragma once
// Time lines of ranks that compute and send one another blocking messages, as mpi::Communicator does: what a
// factorization is priced with (factorization.hpp).

#include <span>
#include <vector>

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

// Of one rank.
struct FactoringRank {
  double seconds = 0;          // until it is done
  double compute_seconds = 0;  // of those; of several workers as long as they are at it together
  double message_seconds = 0;  // of those, in messages; the rest is spent waiting for other ranks
  double flops = 0;            // in the scalar's own arithmetic
  Offset messages = 0;         // sent
  Offset bytes = 0;            // in them
  Offset panel_bytes = 0;      // of the factors that it makes
  Offset peak_bytes = 0;       // those made so far, contribution blocks, and fronts of several ranks, at once
  Offset place_bytes = 0;      // of lists: where contribution blocks are added to the fronts it assembles
};

class RankTimelines {
 public:
  RankTimelines(Index ranks, const Machine& machine)
      : machine_(machine), rank_(usize(ranks)), live_(usize(ranks), 0) {}

  Index ranks() const { return static_cast<Index>(rank_.size()); }
  FactoringRank& operator[](Index rank) { return rank_[usize(rank)]; }

  void compute(Index rank, double seconds);
  // Holds its sender until it is there, unless it is eager.
  void send(Index from, Index to, Offset bytes);
  // Collective calls of some ranks, ascending (mpi/some_ranks.hpp): along a binomial tree from ranks[root],
  // and by the first of them.
  void broadcast(std::span<const Index> ranks, std::size_t root, Offset bytes);
  void agree(std::span<const Index> ranks);
  // A reduction of all.
  void wait_for_all();

  // Memory; negative: given back.
  void take(Index rank, Offset bytes);

  std::vector<FactoringRank> finish() && { return std::move(rank_); }

 private:
  const Machine& machine_;
  std::vector<FactoringRank> rank_;
  std::vector<Offset> live_;  // bytes
};

}  // namespace trisweep::model
