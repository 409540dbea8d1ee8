#pragma once
// What plans ask of the analysis of a matrix, before there is one.

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

// For any plan of the axes: the separator tree goes down to what their mappings make use of, the layers of a
// grid or parts of single ranks. On grids of one layer the order is that of one rank.
ordering::OrderingOptions ordering_options(ordering::Method method, const PlanAxes& axes,
                                           bool on_gpus = false);

// For that choice of the diagonal, and sweeps by the processors of so many ranks or by their GPUs.
symbolic::SymbolicOptions symbolic_options(const std::string& diagonal, Index ranks, bool on_gpus = false);

// The choices of the diagonal that a matrix is analyzed for: all that the axes have, and the plain one,
// which the others are compared with.
std::vector<std::string> diagonals_to_analyze(const PlanAxes& axes);

}  // namespace trisweep::model
