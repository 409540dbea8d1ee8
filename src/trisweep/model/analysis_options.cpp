#include "trisweep/model/analysis_options.hpp"

#include <algorithm>
#include <bit>

namespace trisweep::model {
namespace {

// That a subtree of one rank is divided further where ranks can be given equal parts of it.
constexpr int levels_below_single_ranks = 2;

}  // namespace

int levels_to_parts(Index parts) {
  return std::bit_width(static_cast<unsigned>(parts - 1));
}

// Not deeper than the plan needs: no supernode reaches over the end of a separator, so that a deeper tree has
// more and smaller ones, and their messages.
ordering::Options ordering_options(ordering::Method method, const PlanAxes& axes) {
  ordering::Options ordering{.method = method};
  const bool by_subtrees = std::ranges::find(axes.mapping, "proportional") != axes.mapping.end();
  const Index layers = std::ranges::max(axes.grid, {}, &distribution::ProcessGrid::pz).pz;
  const int levels = by_subtrees ? levels_to_parts(axes.grid.front().ranks()) + levels_below_single_ranks
                                 : levels_to_parts(layers);
  ordering.tree_levels = std::max(ordering.tree_levels, levels);
  return ordering;
}

symbolic::Options symbolic_options(const std::string& diagonal, Index ranks) {
  symbolic::Options symbolic;
  if (diagonal == "separators") symbolic.whole_levels = std::max(levels_to_parts(ranks), 1);
  return symbolic;
}

std::vector<std::string> diagonals_to_analyze(const PlanAxes& axes) {
  std::vector<std::string> diagonals = axes.diagonal;
  if (std::ranges::find(diagonals, "supernodes") == diagonals.end()) diagonals.emplace_back("supernodes");
  return diagonals;
}

}  // namespace trisweep::model
