#pragma once
// Who factors, by name.

#include <array>
#include <memory>
#include <string>

#include "trisweep/solve/distributed_fronts.hpp"

namespace trisweep::cli {

// Ours, on rank 0, and those of all ranks.
inline constexpr std::array factorizations{"own", "distributed", "superlu-dist"};

// Throws Error(usage) in a build without SuperLU_DIST (no_superlu_dist.cpp).
std::shared_ptr<const solve::FactorEngine> superlu_dist_engine();

// One of these; null: our own.
inline std::shared_ptr<const solve::FactorEngine> find_factorization(const std::string& name) {
  if (name == "distributed") return solve::distributed_fronts();
  return name == "own" ? nullptr : superlu_dist_engine();
}

}  // namespace trisweep::cli
