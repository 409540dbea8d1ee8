#pragma once
// What plans ask of the analysis of a matrix, before there is one.

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

// The levels of separators that divide a matrix into that many parts.
int levels_to_parts(Index parts);

// For any plan of the axes: the separator tree goes down to the layers of the grids, and for mappings by
// subtrees to parts of single ranks. On grids of one layer the order is that of one rank.
ordering::Options ordering_options(ordering::Method method, const PlanAxes& axes);

// With inverted separators the upper part of the tree, down to single ranks, is kept whole.
symbolic::Options symbolic_options(const std::string& diagonal, Index ranks);

// The choices of the diagonal that a matrix is analyzed for: all that the axes have, and inverted supernodes,
// which inverted separators are compared with.
std::vector<std::string> diagonals_to_analyze(const PlanAxes& axes);

}  // namespace trisweep::model
