#pragma once
// What commands that only plan need of a matrix.

#include "plan_options.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/model/saved_analysis.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::cli {

// Reads the matrix and analyzes it as `solve` on that many ranks does, in the precision of the system, for
// each of some choices of the diagonal. The values are let go.
std::vector<model::SavedAnalysis> analyze_for_plans(const std::string& matrix, const PlanOptions& options,
                                                    Index ranks, std::span<const std::string> diagonals,
                                                    Observer& observer);
// For the one choice in `options`.
model::SavedAnalysis analyze_for_plan(const std::string& matrix, const PlanOptions& options, Index ranks,
                                      Observer& observer);

// What is to be planned with these analyses of one matrix.
model::PlanProblem problem_of(std::span<const model::SavedAnalysis> analyses, const PlanOptions& options,
                              Index nrhs);
report::MatrixRecord matrix_record(const model::SavedAnalysis& analysis);

// Of a value of the factors and the vectors; those of a mixed solve are in the lower precision.
std::size_t scalar_bytes(const std::string& precision, bool complex);

}  // namespace trisweep::cli
