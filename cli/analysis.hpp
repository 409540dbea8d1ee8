#pragma once
// What commands that only plan need of a matrix.

#include "plan_options.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/model/saved_analysis.hpp"

namespace trisweep::cli {

// Reads the matrix and analyzes it as `solve` on that many ranks does, in the precision of the system. The
// values are let go.
model::SavedAnalysis analyze_for_plan(const std::string& matrix, const PlanOptions& options, Index ranks,
                                      Observer& observer);

// Of a value of the factors and the vectors; those of a mixed solve are in the lower precision.
std::size_t scalar_bytes(const std::string& precision, bool complex);

}  // namespace trisweep::cli
