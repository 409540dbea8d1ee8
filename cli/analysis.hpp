#pragma once
// Analyses of a matrix for commands that only plan.

#include "outputs.hpp"
#include "plan_options.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/model/factorization.hpp"
#include "trisweep/model/saved_analysis.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::cli {

// The matrix of a command that only plans: its file, or saved analyses of it, each for a different choice of
// the diagonal.
struct MatrixSource {
  std::string matrix;
  std::vector<std::string> saved;

  // Throws CLI::RequiredError unless a matrix or an analysis is given.
  void check() const;
  // Throws Error(usage) as cli::require_distinct does; `machine` is an input file as well.
  void require_distinct_from(std::span<const FileOption> outputs, const std::string& machine) const;
};
void add_matrix_source(CLI::App& sub, MatrixSource& source);

// Returns analyses for plans of these axes: for each choice of the diagonal, and for inverted supernodes to
// compare with. With saved analyses, choices without one are removed from the axes. Throws Error(usage) if no
// choice remains, or if the analyses do not suit the ranks or one another.
std::vector<model::SavedAnalysis> analyses_of(const MatrixSource& source, const PlanOptions& options,
                                              model::PlanAxes& axes, Observer& observer);

// Reads the matrix and analyzes it as `solve` does for plans of these axes, in the precision of the system.
// The matrix's values are not kept.
std::vector<model::SavedAnalysis> analyze_for_plans(const std::string& matrix, const PlanOptions& options,
                                                    const model::PlanAxes& axes, Observer& observer);
// The same for the single plan in `options`, on that grid.
model::SavedAnalysis analyze_for_plan(const std::string& matrix, const PlanOptions& options,
                                      const distribution::ProcessGrid& grid, Observer& observer);

// The planning problem for this number of ranks, with these analyses of one matrix.
model::PlanProblem problem_of(std::span<const model::SavedAnalysis> analyses, const PlanOptions& options,
                              Index ranks, Index nrhs);
// The predicted cost of the factorization for a plan with that diagonal; nullopt if the machine's description
// does not cover factorizations.
std::optional<model::FactorizationPrice> factorization_price(std::span<const model::SavedAnalysis> analyses,
                                                             const std::string& diagonal, Index ranks,
                                                             const model::Workload& workload,
                                                             const model::Machine& machine);
report::MatrixRecord matrix_record(const model::SavedAnalysis& analysis);

// Analyses in files. These throw Error(usage) in a build without HDF5 (no_studies.cpp); already opening does,
// so that nothing is analyzed in vain.
std::optional<OutputFile> open_analysis(const std::string& path);
void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file);
model::SavedAnalysis load_analysis(const std::string& path);

}  // namespace trisweep::cli
