#pragma once
// Prices the numeric factorization by all ranks (solve/fronts_of_ranks.hpp) from the structure alone: each
// rank's time, messages and memory.
//
// Fronts are owned as in the factorization (distribution/front_owners.hpp), and each rank has a timeline. The
// whole subtrees of a rank take the sum of their times, shared by its workers, or the time of their longest
// path, whichever is more; a front above them takes one worker
//
//   flops / (dgemm_flops * w / (w + half_rate_width)) + bytes / bandwidth + front_seconds
//
// where w columns are eliminated at once: r_inf and n_1/2 of Hockney and Jesshope (Parallel Computers, 1981).
// Each message that is sent is priced; ranks do not share a node's injection bandwidth. Not priced: the
// analysis, and the messages that bring entries of A to fronts and panels to the ranks that apply them.

#include <algorithm>
#include <vector>

#include "trisweep/model/rank_timelines.hpp"
#include "trisweep/numeric/kind.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

struct FactorizationProblem {
  const symbolic::Structure& structure;  // without tiles
  numeric::Kind kind = numeric::Kind::lu;
  Offset nonzeros = 0;                       // of A
  std::size_t value_bytes = sizeof(double);  // of a value of the factors
  bool complex = false;
};

struct FactorizationPrice {
  std::vector<FactoringRank> rank;
  // On each rank: the ordering, the structure and the owners of fronts, all of them replicated, and its part
  // of A.
  Offset common_bytes = 0;

  template <class Figure>
  Figure largest(Figure FactoringRank::*figure) const {
    return std::ranges::max(rank, {}, figure).*figure;
  }
  template <class Figure>
  Figure sum(Figure FactoringRank::*figure) const {
    Figure all = 0;
    for (const FactoringRank& one : rank) all += one.*figure;
    return all;
  }
  double seconds() const { return largest(&FactoringRank::seconds); }  // until the last rank is done
  // Of the rank with the most memory.
  Offset memory_bytes() const {
    Offset most = 0;
    for (const FactoringRank& one : rank) most = std::max(most, one.peak_bytes + one.place_bytes);
    return common_bytes + most;
  }
};

// Assumes that no pivot is delayed, and a machine whose dgemm_flops are described. O(rows of the structure),
// plus O(arrowheads x ranks) for each shared front.
FactorizationPrice price_factorization(const FactorizationProblem& problem, Index ranks,
                                       const Machine& machine);

}  // namespace trisweep::model
