#pragma once
// What commands that only plan need of a matrix.

#include "outputs.hpp"
#include "plan_options.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/model/factorization.hpp"
#include "trisweep/model/saved_analysis.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::cli {

// Where a command that only plans has its matrix from: its file, or saved analyses of it, each for another
// choice of the diagonal.
struct MatrixSource {
  std::string matrix;
  std::vector<std::string> saved;

  // Throws CLI::RequiredError when there is neither.
  void check() const;
  // Throws Error(usage) as cli::require_distinct does; `machine`: that is read, too.
  void require_distinct_from(std::span<const FileOption> outputs, const std::string& machine) const;
};
void add_matrix_source(CLI::App& sub, MatrixSource& source);

// Analyses for plans of these axes: of each of their choices of the diagonal, and of
// inverted supernodes to compare with. Where analyses are saved ones, the axes keep the choices that have
// one. Throws Error(usage) when none does, or when they do not suit the ranks or one another.
std::vector<model::SavedAnalysis> analyses_of(const MatrixSource& source, const PlanOptions& options,
                                              model::PlanAxes& axes, Observer& observer);

// Reads the matrix and analyzes it as `solve` does for plans of these axes, in the precision of the system.
// The values are let go.
std::vector<model::SavedAnalysis> analyze_for_plans(const std::string& matrix, const PlanOptions& options,
                                                    const model::PlanAxes& axes, Observer& observer);
// For the one choice in `options`, on that grid.
model::SavedAnalysis analyze_for_plan(const std::string& matrix, const PlanOptions& options,
                                      const distribution::ProcessGrid& grid, Observer& observer);

// The planning problem of so many ranks with these analyses of one matrix.
model::PlanProblem problem_of(std::span<const model::SavedAnalysis> analyses, const PlanOptions& options,
                              Index ranks, Index nrhs);
// What the factorization for a plan with that diagonal takes; nothing where the machine does not describe it.
std::optional<model::FactorizationPrice> factorization_price(std::span<const model::SavedAnalysis> analyses,
                                                             const std::string& diagonal, Index ranks,
                                                             const model::Workload& workload,
                                                             const model::Machine& machine);
report::MatrixRecord matrix_record(const model::SavedAnalysis& analysis);

// Analyses in files. Throw Error(usage) in a build without HDF5 (no_studies.cpp): opening does, so that
// nothing is analyzed in vain.
std::optional<OutputFile> open_analysis(const std::string& path);
void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file);
model::SavedAnalysis load_analysis(const std::string& path);

}  // namespace trisweep::cli
