#include "trisweep/plan/variants.hpp"

#include <array>

#include "trisweep/core/named.hpp"

namespace trisweep::plan {
namespace {

constexpr auto schedule_table = std::to_array<NamedSchedule>({
    {.name = "single-sync", .choice = single_sync, .exchanges = true},
    {.name = "level-sync", .choice = level_sync},
    {.name = "published", .choice = published, .baseline = true},
    {.name = "published-packed", .choice = published_packed, .baseline = true},
});

constexpr auto inter_grid_table = std::to_array<Variant<InterGrid>>({
    {"sparse", sparse_allreduce},
    {"per-node", per_node_allreduce},
});

constexpr auto tree_table = std::to_array<Variant<Tree>>({
    {"flat", flat_tree},
    {"binary", binary_tree},
    {"postal", postal_tree},
    {"auto", auto_tree},
});

}  // namespace

std::span<const NamedSchedule> schedules() {
  return schedule_table;
}
std::span<const Variant<InterGrid>> inter_grids() {
  return inter_grid_table;
}
std::span<const Variant<Tree>> trees() {
  return tree_table;
}

const NamedSchedule& find_schedule(std::string_view name) {
  return find_named(schedules(), "schedule", name);
}
InterGrid find_inter_grid(std::string_view name) {
  return find_named(inter_grids(), "inter-grid exchange", name).choice;
}
Tree find_tree(std::string_view name) {
  return find_named(trees(), "tree", name).choice;
}

}  // namespace trisweep::plan
