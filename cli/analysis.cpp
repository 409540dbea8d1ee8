#include "analysis.hpp"

#include <chrono>

#include "system.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::cli {
namespace {

using Clock = std::chrono::steady_clock;

template <Scalar T>
model::SavedAnalysis analyze_in(const std::string& name, const PlanOptions& options,
                                const solve::AnalysisOptions& analysis, matrix::AnyCsr&& any,
                                Observer& observer) {
  const matrix::Csr<T> a = take_matrix<T>(std::move(any));
  const auto start = Clock::now();
  solve::Analysis result = solve::analyze(a, analysis, observer);
  return {.matrix = name,
          .ordering = options.ordering,
          .diagonal = options.diagonal,
          .nonzeros = a.nonzeros(),
          .complex = is_complex<T>,
          .cholesky = result.kind == numeric::Kind::cholesky,
          .seconds = std::chrono::duration<double>(Clock::now() - start).count(),
          .structure = std::move(result.structure)};
}

template <Scalar T, Scalar Low>
model::SavedAnalysis analyze_system(const std::string& name, const PlanOptions& options,
                                    const solve::AnalysisOptions& analysis, matrix::AnyCsr&& a,
                                    Observer& observer) {
  if (options.precision == "float") return analyze_in<Low>(name, options, analysis, std::move(a), observer);
  return analyze_in<T>(name, options, analysis, std::move(a), observer);
}

}  // namespace

model::SavedAnalysis analyze_for_plan(const std::string& name, const PlanOptions& options, Index ranks,
                                      Observer& observer) {
  const solve::AnalysisOptions analysis = analysis_options(options, ranks);
  matrix::AnyCsr a = matrix::read_matrix(name, observer);
  if (std::holds_alternative<matrix::Csr<std::complex<double>>>(a)) {
    return analyze_system<std::complex<double>, std::complex<float>>(name, options, analysis, std::move(a),
                                                                     observer);
  }
  return analyze_system<double, float>(name, options, analysis, std::move(a), observer);
}

std::size_t scalar_bytes(const std::string& precision, bool complex) {
  return (precision == "double" ? sizeof(double) : sizeof(float)) * (complex ? 2 : 1);
}

}  // namespace trisweep::cli
