#pragma once
// The solution that a peer's user gets: a first solve, measured, and corrected if it is not accurate enough.
// One loop for all peers, on one rank.

#include <functional>
#include <span>
#include <vector>

#include "problem.hpp"

namespace peers {

// x = the peer's solution for b. Columns are contiguous; on input x is a copy of b.
using Solve = std::function<void(int nrhs, const double* b, double* x)>;

class Refiner {
 public:
  // Both must outlive it.
  Refiner(const Problem& problem, Solve solve) : problem_(problem), solve_(std::move(solve)) {}

  // Solves and corrects until every column's componentwise backward error is at most `goal`, or no longer
  // halves. Columns that are accurate enough are left alone, and a correction that increases the error is
  // discarded. Returns the number of solves.
  int solve(double goal, std::span<const double> b, std::span<double> x);

 private:
  // Corrects these columns by another solve. Returns those that are worth a further one.
  std::vector<int> correct(const std::vector<int>& columns, double goal, std::span<const double> b,
                           std::span<double> x);

  const Problem& problem_;
  Solve solve_;
  std::vector<double> residual_, error_;                                // for all columns
  std::vector<double> r_, correction_, candidate_, b_, next_residual_;  // for the columns being corrected
};

}  // namespace peers
