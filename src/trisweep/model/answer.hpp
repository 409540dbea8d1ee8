#pragma once
// The price of an answer. A user pays for sweeps that are measured and, where that is needed, corrected
// (solve/refinement.hpp): all ranks agree on the call and on errors by one reduction; the first sweep, and
// the sweep of each correction, is followed by one pass over the rows of A, which makes the residual and what
// it is measured by, and by two reductions (norms of x; then the largest ratios).
//
// Everything but the sweeps depends on no axis of the plan: A, b and x are distributed by blocks of rows,
// whatever the distribution of the panels.

#include <span>
#include <vector>

#include "trisweep/matrix/csr.hpp"
#include "trisweep/model/cost.hpp"
#include "trisweep/model/machine.hpp"

namespace trisweep::model {

// What a product with A is for the rank that has most of it, where ranks have even blocks of its rows.
struct ProductShare {
  Index ranks = 1;
  Index rows = 0;
  Offset nonzeros = 0;
  Index neighbours = 0;  // ranks that it has a message from
  Index ghosts = 0;      // unknowns that those bring

  bool operator==(const ProductShare&) const = default;
};
// O(nonzeros).
ProductShare product_share(const matrix::Pattern& a, Index ranks);

// For any number of ranks, from those for 1, 2, 4, ... of them: the next above, its rows and nonzeros scaled.
std::vector<ProductShare> product_shares(const matrix::Pattern& a);
ProductShare share_for(std::span<const ProductShare> shares, Index ranks);

// Of the memory, for each of so many ranks while all of them compute.
double rank_bandwidth(const Machine& machine, Index ranks);

// Seconds by what they are spent on; the slowest rank's.
struct AnswerPrice {
  int corrections = 0;
  Index reductions = 0;  // that all ranks wait for
  double sweeps = 0;
  double products = 0;  // passes over A and vectors
  double halos = 0;     // the unknowns of other ranks that those need
  double reduction_seconds = 0;
  double updates = 0;  // of x

  double seconds() const { return sweeps + products + halos + reduction_seconds + updates; }
};

// Of a plan whose sweep takes that long.
AnswerPrice answer_price(double sweep_seconds, int corrections, const ProductShare& product,
                         const Machine& machine, const Workload& workload);

}  // namespace trisweep::model
