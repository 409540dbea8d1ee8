#pragma once
#include <fmt/format.h>

#include "device/virtual_pes.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::testing_support {

// All that make a plan of their own on a grid.
inline std::vector<Variant> variants(const distribution::ProcessGrid& grid) {
  std::vector<Variant> all;
  for (const auto& mapping : distribution::mappings()) {
    if (mapping.only_ranks_count && grid.pz > 1) continue;
    for (const auto& schedule : plan::schedules()) {
      for (const auto& tree : plan::trees()) {
        for (const auto& exchange : plan::inter_grids()) {
          if (!schedule.exchanges && &exchange != &plan::inter_grids()[0]) continue;
          all.push_back({fmt::format("{} {} {} {} {}", grid.name(), mapping.name, schedule.name, tree.name,
                                     exchange.name),
                         mapping, schedule.choice, tree.choice, exchange.choice});
        }
      }
    }
  }
  return all;
}

}  // namespace trisweep::testing_support
