#include "analysis.hpp"

#include <chrono>

#include "system.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Request {
  const std::string& matrix;
  const PlanOptions& options;
  Index ranks;
  std::span<const std::string> diagonals;
};

template <Scalar T>
std::vector<model::SavedAnalysis> analyze_in(const Request& request, matrix::AnyCsr&& any,
                                             Observer& observer) {
  const matrix::Csr<T> a = take_matrix<T>(std::move(any));
  const auto start = Clock::now();
  std::vector<symbolic::Options> symbolic;
  for (const std::string& diagonal : request.diagonals)
    symbolic.push_back(symbolic_options(diagonal, request.ranks));
  auto results = solve::analyze_each(a, ordering_options(request.options, request.ranks), symbolic, observer);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<model::SavedAnalysis> analyses;
  for (std::size_t i = 0; i < results.size(); ++i) {
    analyses.push_back({.matrix = request.matrix,
                        .ordering = request.options.ordering,
                        .diagonal = request.diagonals[i],
                        .nonzeros = a.nonzeros(),
                        .complex = is_complex<T>,
                        .cholesky = results[i].kind == numeric::Kind::cholesky,
                        .seconds = seconds,
                        .structure = std::move(results[i].structure)});
  }
  return analyses;
}

template <Scalar T, Scalar Low>
std::vector<model::SavedAnalysis> analyze_system(const Request& request, matrix::AnyCsr&& a,
                                                 Observer& observer) {
  if (request.options.precision == "float") return analyze_in<Low>(request, std::move(a), observer);
  return analyze_in<T>(request, std::move(a), observer);
}

}  // namespace

std::vector<model::SavedAnalysis> analyze_for_plans(const std::string& name, const PlanOptions& options,
                                                    Index ranks, std::span<const std::string> diagonals,
                                                    Observer& observer) {
  const Request request{name, options, ranks, diagonals};
  matrix::AnyCsr a = matrix::read_matrix(name, observer);
  if (std::holds_alternative<matrix::Csr<std::complex<double>>>(a))
    return analyze_system<std::complex<double>, std::complex<float>>(request, std::move(a), observer);
  return analyze_system<double, float>(request, std::move(a), observer);
}

model::SavedAnalysis analyze_for_plan(const std::string& name, const PlanOptions& options, Index ranks,
                                      Observer& observer) {
  return std::move(analyze_for_plans(name, options, ranks, {&options.diagonal, 1}, observer).front());
}

model::PlanProblem problem_of(std::span<const model::SavedAnalysis> analyses, const PlanOptions& options,
                              Index nrhs) {
  const model::SavedAnalysis& first = analyses.front();
  model::PlanProblem problem{.cholesky = first.cholesky,
                             .op = static_cast<Op>(options.op.front()),
                             .workload = {.nrhs = nrhs,
                                          .scalar_bytes = scalar_bytes(options.precision, first.complex),
                                          .complex = first.complex}};
  for (const model::SavedAnalysis& a : analyses) problem.analyzed.push_back({a.diagonal, a.structure});
  return problem;
}

report::MatrixRecord matrix_record(const model::SavedAnalysis& a) {
  return {.name = a.matrix, .rows = a.structure->n, .nonzeros = a.nonzeros};
}

std::size_t scalar_bytes(const std::string& precision, bool complex) {
  return (precision == "double" ? sizeof(double) : sizeof(float)) * (complex ? 2 : 1);
}

}  // namespace trisweep::cli
