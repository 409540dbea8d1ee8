#include "trisweep/model/analysis_options.hpp"

#include <algorithm>

#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::model {

// Not deeper than plans need: no supernode extends beyond its separator, so a deeper tree has more and
// smaller supernodes, and more messages. Separators are needed for layers, for parts of ranks, and to be
// inverted whole.
ordering::OrderingOptions ordering_options(ordering::Method method, const PlanAxes& axes, bool on_gpus) {
  ordering::OrderingOptions ordering{.method = method};
  for (const std::string& name : axes.mapping) {
    const auto& mapping = distribution::find_mapping(name);
    for (const auto& grid : axes.grid) {
      if (grid.ranks() == 1) continue;  // all mappings are the same
      ordering.needed_levels = std::max(ordering.needed_levels, distribution::tree_levels(mapping, grid));
    }
  }
  for (const std::string& name : axes.diagonal) {
    const int whole = symbolic_options(name, axes.grid.front().ranks(), on_gpus).whole_levels;
    ordering.needed_levels = std::max(ordering.needed_levels, whole);
  }
  ordering.needed_levels = std::min(ordering.needed_levels, ordering::most_levels);
  ordering.tree_levels = std::max(ordering.tree_levels, ordering.needed_levels);
  return ordering;
}

symbolic::SymbolicOptions symbolic_options(const std::string& diagonal, Index ranks, bool on_gpus) {
  symbolic::SymbolicOptions options = symbolic::find_diagonal(diagonal).options(ranks);
  if (on_gpus) {
    // A GPU streams several MB in the time of one step: fewer steps are worth some explicit zeros
    // (docs/gpu-measured.md).
    options.max_width = 256;
    options.supernode_bytes = 8192;
    options.row_bytes = 128;
    // Separators further down are hardly wider than max_width.
    if (options.whole_levels > 0) options.whole_levels = std::max(options.whole_levels, 5);
  }
  if (ranks == 1) options.max_width_if_tiny = 3;
  return options;
}

std::vector<std::string> diagonals_to_analyze(const PlanAxes& axes) {
  std::vector<std::string> diagonals = axes.diagonal;
  const std::string plain(symbolic::diagonals().front().name);
  if (std::ranges::find(diagonals, plain) == diagonals.end()) diagonals.push_back(plain);
  return diagonals;
}

}  // namespace trisweep::model
