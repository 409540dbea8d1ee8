#pragma once
// Prices the numeric factorization by all ranks (solve/fronts_of_ranks.hpp) from the structure alone: how
// long which rank is at it, what it sends, and what memory it needs.
//
// Fronts are those ranks' that have them there (distribution/front_owners.hpp), and each rank has a time
// line. The subtrees that a rank has whole take its workers as long as their sum or their longest path,
// whichever is more; a front above them takes one worker
//
//   flops / (dgemm_flops * w / (w + half_rate_width)) + bytes / bandwidth + front_seconds
//
// where w columns are eliminated at once: r_inf and n_1/2 of Hockney and Jesshope (Parallel Computers, 1981).
// Messages are those that are sent, one by one; a node's injection bandwidth is not shared. Not priced: the
// analysis, entries on their way to fronts, and panels on theirs to the ranks that apply them.

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
  std::size_t value_bytes = sizeof(double);  // of a number of the factors
  bool complex = false;
};

struct FactorizationPrice {
  std::vector<FactoringRank> rank;
  // On each rank: the order, the structure and whose fronts are whose, which are all ranks', and its part of
  // A.
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
  // Of the fullest.
  Offset memory_bytes() const {
    Offset most = 0;
    for (const FactoringRank& one : rank) most = std::max(most, one.peak_bytes + one.place_bytes);
    return common_bytes + most;
  }
};

// As if no pivot were delayed. The machine describes dgemm_flops. O(rows of the structure), and of each
// shared front O(arrowheads x ranks).
FactorizationPrice price_factorization(const FactorizationProblem& problem, Index ranks,
                                       const Machine& machine);

}  // namespace trisweep::model
