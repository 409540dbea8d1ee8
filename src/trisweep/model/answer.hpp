#pragma once
// The price of an answer: sweeps, their residual checks and, where needed, corrections
// (solve/refinement.hpp). All ranks agree on the call and on errors by one reduction. The first sweep, and
// that of each correction, is followed by one pass over the rows of A, which computes the residual and its
// scale, and by two reductions (norms of x; then the largest ratios).
//
// Only the sweeps depend on the plan: A, b and x are distributed by blocks of rows, whatever the distribution
// of the panels.

#include <span>
#include <vector>

#include "trisweep/matrix/csr.hpp"
#include "trisweep/model/cost.hpp"
#include "trisweep/model/machine.hpp"

namespace trisweep::model {

// A rank's part of a product with A, in even blocks of rows: each field is its maximum over the ranks.
struct ProductShare {
  Index ranks = 1;
  Index rows = 0;
  Offset nonzeros = 0;
  Index neighbours = 0;  // ranks that it receives a message from
  Index ghosts = 0;      // unknowns that it receives from them

  bool operator==(const ProductShare&) const = default;
};
// O(nonzeros).
ProductShare product_share(const matrix::Pattern& a, Index ranks);

// The shares for 1, 2, 4, ... ranks; share_for() takes the next larger number of ranks and scales its rows
// and nonzeros to `ranks`.
std::vector<ProductShare> product_shares(const matrix::Pattern& a);
ProductShare share_for(std::span<const ProductShare> shares, Index ranks);

// The memory bandwidth of each of `ranks` ranks while all of them compute.
double rank_bandwidth(const Machine& machine, Index ranks);

// Seconds of the slowest rank by what they are spent on.
struct AnswerPrice {
  int corrections = 0;
  Index reductions = 0;  // that all ranks wait for
  double sweeps = 0;
  double products = 0;  // passes over A and vectors
  double halos = 0;     // receiving the other ranks' unknowns for those
  double reduction_seconds = 0;
  double updates = 0;  // of x

  double seconds() const { return sweeps + products + halos + reduction_seconds + updates; }
};

// The price with a plan whose sweep takes `sweep_seconds`.
AnswerPrice answer_price(double sweep_seconds, int corrections, const ProductShare& product,
                         const Machine& machine, const Workload& workload);

}  // namespace trisweep::model
