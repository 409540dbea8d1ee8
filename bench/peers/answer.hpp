#pragma once
// The answer that a peer's user gets: a first solve, measured, and corrected where that is not good enough.
// One loop for all peers, on one rank.

#include <functional>
#include <span>
#include <vector>

#include "problem.hpp"

namespace peers {

// x = the solution for b, as the peer has it. Columns follow one another; x comes in as a copy of b.
using Solve = std::function<void(int nrhs, const double* b, double* x)>;

class Refiner {
 public:
  // Both outlive it.
  Refiner(const Problem& problem, Solve solve) : problem_(problem), solve_(std::move(solve)) {}

  // Until every column's componentwise backward error is at most `goal`, or does not halve any more; columns
  // that are good already are left alone, and a correction that makes one worse is not taken. Returns how
  // often there was a solve.
  int solve(double goal, std::span<const double> b, std::span<double> x);

 private:
  // Of those columns: another solve. Those that are worth one more.
  std::vector<int> correct(const std::vector<int>& columns, double goal, std::span<const double> b,
                           std::span<double> x);

  const Problem& problem_;
  Solve solve_;
  std::vector<double> residual_, error_;                                // of all columns
  std::vector<double> r_, correction_, candidate_, b_, next_residual_;  // of those that are corrected
};

}  // namespace peers
