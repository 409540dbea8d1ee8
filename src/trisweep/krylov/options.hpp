#pragma once
// Options and results of the Krylov methods by name.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/krylov/outcome.hpp"

namespace trisweep::krylov {

// Communication that a pipelined method overlaps.
enum class Overlap {
  none,
  sums,     // reductions, with products
  gathers,  // also the allgathers of products, with vector updates and inner products
};
struct NamedOverlap {
  std::string_view name;
  Overlap overlap;
};
std::span<const NamedOverlap> overlaps();

struct KrylovOptions {
  double tolerance = 1e-10;  // for ||b - A x||_2 / ||b||_2
  int max_iterations = 1000;
  // For the pipelined form: overlap, and the period of residual replacement in iterations (0: never).
  Overlap overlap = Overlap::gathers;
  int replace_every = 50;
  int restart = 60;  // GMRES: restart length
};

// The result for one right-hand side.
struct KrylovResult {
  Outcome outcome = Outcome::most_iterations;
  int iterations = 0;
  double residual = 0;          // true ||b - A x||_2 / ||b||_2
  std::vector<double> history;  // recursive residual, initially and after each iteration
};

}  // namespace trisweep::krylov
