#include "trisweep/component/algorithms.hpp"

#include <array>

#include "trisweep/core/named.hpp"

namespace trisweep::component {
namespace {

constexpr auto table = std::to_array<NamedAlgorithm>({
    {"sequential", "one thread, row after row", sequential},
    {"level-set", "level by level of the dependency graph, small levels together", level_set},
    {"sync-free", "blocks of rows in turn, each waiting for what it needs", sync_free},
    {"regions", "regions of rows that a thread computes without the others", regions},
});

}  // namespace

std::span<const NamedAlgorithm> algorithms() {
  return table;
}

const NamedAlgorithm& find_algorithm(std::string_view name) {
  return find_named(algorithms(), "algorithm", name, ", or auto");
}

}  // namespace trisweep::component
