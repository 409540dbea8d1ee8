#pragma once
// The factorizations by name: our own, or SuperLU_DIST's.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/named.hpp"
#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::cli {

// Throws Error(usage) in a build without SuperLU_DIST (no_superlu_dist.cpp).
std::shared_ptr<const solve::FactorEngine> superlu_dist_engine();

struct NamedFactorization {
  std::string_view name;
  std::shared_ptr<const solve::FactorEngine> (*engine)();  // null: ours
};
// The first is the default.
inline std::span<const NamedFactorization> factorizations() {
  static constexpr std::array<NamedFactorization, 2> table{
      {{"own", nullptr}, {"superlu-dist", superlu_dist_engine}}};
  return table;
}
// Throws Error(usage), which lists the valid names.
inline const NamedFactorization& named_factorization(const std::string& name) {
  return find_named(factorizations(), "factorization", name);
}
// The engine of that name; null: our own.
inline std::shared_ptr<const solve::FactorEngine> find_factorization(const std::string& name) {
  const NamedFactorization& row = named_factorization(name);
  return row.engine == nullptr ? nullptr : row.engine();
}

}  // namespace trisweep::cli
