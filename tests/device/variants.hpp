#pragma once
#include <fmt/format.h>

#include <map>

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

// A variant on a grid, and what comes with it.
struct Combination {
  Variant variant;
  distribution::ProcessGrid grid;
  int variant_turn, turn;  // of the variant among all, and in which the rest is chosen
  Op op;
  bool is_complex;
  bool in_tiles;  // compressed panels
  Index nrhs;
};

// Every variant on 1 to 4 PEs, on each grid with the next op, type, storage and number of right-hand sides:
// of all of these every pair is there (variants_test.cpp).
inline std::vector<Combination> combinations() {
  constexpr std::array ops{Op::none, Op::transpose, Op::conjugate_transpose};
  std::vector<Combination> all;
  std::map<std::string, std::pair<int, int>> turns;  // by variant its number and the grids before
  for (const distribution::ProcessGrid grid : {distribution::ProcessGrid{1, 1, 1},
                                               {1, 2, 1},
                                               {3, 1, 1},
                                               {2, 2, 1},
                                               {1, 1, 4},
                                               {2, 1, 2},
                                               {1, 2, 2}}) {
    for (const Variant& variant : variants(grid)) {
      const auto number = static_cast<int>(turns.size());
      auto& [mine, grids] =
          turns.try_emplace(variant.name.substr(grid.name().size()), number, 0).first->second;
      const int turn = mine + grids++;
      all.push_back({variant, grid, mine, turn, ops[usize(turn % 3)], turn % 2 == 1, turn / 2 % 2 == 0,
                     turn / 3 % 2 == 0 ? 1 : 3});
    }
  }
  return all;
}
// Each variant on one of its grids, of which that is so but for a variant and what comes with it.
inline std::vector<Combination> some_combinations() {
  constexpr int grids = 7, turns_of_a_grid = 5;
  std::vector<Combination> some = combinations();
  std::erase_if(some, [](const Combination& of) {
    const int grids_before = of.turn - of.variant_turn;
    return (of.variant_turn / turns_of_a_grid + grids_before) % grids != 0;
  });
  return some;
}

}  // namespace trisweep::testing_support
