#include "trisweep/plan/variants.hpp"

#include <fmt/format.h>

#include <array>

#include "trisweep/core/error.hpp"

namespace trisweep::plan {
namespace {

constexpr std::array<Variant<Schedule>, 2> schedule_table{{
    {"single-sync", single_sync},
    {"level-sync", level_sync},
}};

constexpr std::array<Variant<InterGrid>, 2> inter_grid_table{{
    {"sparse", sparse_allreduce},
    {"per-node", per_node_allreduce},
}};

constexpr std::array<Variant<Tree>, 3> tree_table{{
    {"flat", flat_tree},
    {"binary", binary_tree},
    {"auto", auto_tree},
}};

template <class Choice>
Choice find(std::span<const Variant<Choice>> table, std::string_view axis, std::string_view name) {
  std::string known;
  for (const auto& row : table) {
    if (row.name == name) return row.choice;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'", axis, name), "choose one of: " + known);
}

}  // namespace

std::span<const Variant<Schedule>> schedules() {
  return schedule_table;
}
std::span<const Variant<InterGrid>> inter_grids() {
  return inter_grid_table;
}
std::span<const Variant<Tree>> trees() {
  return tree_table;
}

Schedule find_schedule(std::string_view name) {
  return find(schedules(), "schedule", name);
}
InterGrid find_inter_grid(std::string_view name) {
  return find(inter_grids(), "inter-grid exchange", name);
}
Tree find_tree(std::string_view name) {
  return find(trees(), "tree", name);
}

}  // namespace trisweep::plan
