#pragma once
// Options for analyzing a matrix, derived from the plans that the analysis has to serve.

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

// Options that serve every plan of the axes: the separator tree is as deep as the mappings use it, down to
// the layers of a grid or to the parts of single ranks. On grids of one layer the ordering is that of one
// rank.
ordering::OrderingOptions ordering_options(ordering::Method method, const PlanAxes& axes,
                                           bool on_gpus = false);

// For a choice of the diagonal, and sweeps by the CPUs or (`on_gpus`) the GPUs of `ranks` ranks.
symbolic::SymbolicOptions symbolic_options(const std::string& diagonal, Index ranks, bool on_gpus = false);

// The choices of the diagonal that a matrix is analyzed for: all in the axes, and the plain one, which the
// others are compared with.
std::vector<std::string> diagonals_to_analyze(const PlanAxes& axes);

}  // namespace trisweep::model
