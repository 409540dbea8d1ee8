#pragma once
// The precisions of a system and its factors, by the names that users know.

#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/model/cost.hpp"

namespace trisweep::model {

struct NamedPrecision {
  std::string_view name;
  bool single_system;   // A, b and x
  bool single_factors;  // the values of the panels

  bool mixed() const { return single_system != single_factors; }
  Workload workload(Index nrhs, bool complex) const {
    const auto bytes = [&](bool single) {
      return (single ? sizeof(float) : sizeof(double)) * (complex ? 2 : 1);
    };
    return {.nrhs = nrhs,
            .scalar_bytes = bytes(single_system),
            .stored_bytes = bytes(single_factors),
            .complex = complex};
  }
};

#ifdef TRISWEEP_DOUBLE_ONLY
inline constexpr auto precision_table = std::to_array<NamedPrecision>({{"double", false, false}});
#else
inline constexpr auto precision_table =
    std::to_array<NamedPrecision>({{"double", false, false}, {"float", true, true}, {"mixed", false, true}});
#endif

inline std::span<const NamedPrecision> precisions() {
  return precision_table;
}
inline const NamedPrecision& find_precision(std::string_view name) {
  return find_named(precisions(), "precision", name);
}

}  // namespace trisweep::model
