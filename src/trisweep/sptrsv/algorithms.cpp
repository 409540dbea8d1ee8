#include "trisweep/sptrsv/algorithms.hpp"

#include <array>

#include "trisweep/core/named.hpp"

namespace trisweep::sptrsv {
namespace {

constexpr auto table = std::to_array<NamedAlgorithm>({
    {"sequential", "one thread, rows in order", sequential},
    {"level-set", "levels of the dependency graph in order, small levels merged", level_set},
    {"sync-free", "blocks of rows in order, each waiting for its dependencies only", sync_free},
    {"regions", "regions of rows without dependencies between threads", regions},
});

}  // namespace

std::span<const NamedAlgorithm> algorithms() {
  return table;
}

const NamedAlgorithm& find_algorithm(std::string_view name) {
  return find_named(algorithms(), "algorithm", name, ", or auto");
}

}  // namespace trisweep::sptrsv
