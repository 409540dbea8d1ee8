#include "trisweep/solve/factorizer.hpp"

#include <algorithm>
#include <thread>

#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/compressed_factors.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::solve {
namespace {

constexpr double conservative_threshold = 0.5;

// New values may delay further pivots. As long as the factors have at most that many times the bytes of the
// first ones, these are where the next values begin.
constexpr double most_growth = 1.25;

}  // namespace

// A matrix that Cholesky finds not definite has other factors, for which another plan may be the fastest.
template <Scalar T>
template <Scalar F>
MadeFactors<F, T> Factorizer<T>::factor(const matrix::Csr<T>& a, Attempt& attempt, Report& report) {
  if (!attempt.reuses_analysis) analysis_ = factored_ = nullptr;
  if (auto again = factor_as_before<F>(a, attempt, report); again.factorization) return again;
  const PlanRequest request = plan_request<F>(attempt);
  const auto likely = attempt.pivoting == Pivoting::standard ? likely_kind(a) : numeric::Kind::lu;
  for (auto kind = likely;; kind = numeric::Kind::lu) {
    PlannedSystem planned = plan_system(a, kind, request, options_.observed_by());
    analysis_ = planned.analysis;
    report.plan = planned.choice;
    report.factor.analysis_seconds += planned.analysis_seconds;
    report.separators = planned.separators;
    const double before = report.model ? report.model->seconds : 0;
    report.model = std::move(planned.model);
    if (report.model) report.model->seconds += before;
    if (auto made = try_factor<F>(a, analysis_, attempt, report.factor); made.factorization) return made;
  }
}

// With the pivots that were delayed where they were eliminated the last time, else as it was planned: nothing
// where that does not do for the new values either. (Cholesky reads one triangle: other values of the same
// pattern need not be Hermitian any more.)
template <Scalar T>
template <Scalar F>
MadeFactors<F, T> Factorizer<T>::factor_as_before(const matrix::Csr<T>& a, Attempt& attempt, Report& report) {
  if (!analysis_ || (analysis_->kind != numeric::Kind::lu && likely_kind(a) != analysis_->kind)) return {};
  const auto unperturbed = [](const auto& made) {
    return made.factorization && made.factorization->factors->perturbed_pivots == 0;
  };
  if (factored_ && factored_ != analysis_) {
    if (!factored_->fronts) factored_ = std::make_shared<const Analysis>(with_fronts(a, *factored_));
    const auto as = factored_;
    auto again = try_factor<F>(a, as, attempt, report.factor);
    if (unperturbed(again) && double(report.factor.bytes) <= most_growth * double(first_bytes_)) return again;
  }
  auto again = try_factor<F>(a, analysis_, attempt, report.factor);
  return unperturbed(again) ? again : MadeFactors<F, T>{};
}

// As it was analyzed; nothing when Cholesky does not work.
template <Scalar T>
template <Scalar F>
MadeFactors<F, T> Factorizer<T>::try_factor(const matrix::Csr<T>& a,
                                            const std::shared_ptr<const Analysis>& analysis, Attempt& attempt,
                                            FactorReport& report) {
  const auto [eps, most] = attempt.compression;
  if (options_.compress.automatic && eps > 0 && expected_share<F, T>(*analysis_, eps) > most)
    attempt.compression = {};
  auto done = try_factor_in_tiles<F>(a, analysis, numeric_options(attempt), compression_at_once(attempt),
                                     options_.observed_by());
  report.seconds += done.seconds;
  report.compression_seconds += done.lost_seconds;
  if (!done.factorization) return {};
  if (options_.compress.automatic && done.too_long) attempt.compression = {};
  const numeric::Factors<F>& factors = *done.factorization->factors;
  describe(report, *factors.structure, factors.kind, sizeof(F));
  report.perturbed_pivots = factors.perturbed_pivots;
  report.delayed_pivots = factors.delayed_pivots;
  factored_ = done.factorization->analysis;
  if (analysis == analysis_) first_bytes_ = report.bytes;
  return {std::make_shared<const Factorization<F>>(*std::move(done.factorization)), std::move(done.tiles)};
}

template <Scalar T>
template <Scalar F>
std::shared_ptr<const Factorization<F>> Factorizer<T>::with_panels(const matrix::Csr<T>& a,
                                                                   const Attempt& attempt) const {
  return std::make_shared<const Factorization<F>>(
      solve::try_factor<F>(a, analysis_, numeric_options(attempt), options_.observed_by()).value());
}

template <Scalar T>
template <Scalar F>
PlanRequest Factorizer<T>::plan_request(const Attempt& attempt) const {
  PlanRequest request{.axes = *options_.plan,
                      .machine = options_.machine,
                      .ordering = options_.ordering,
                      .workload = {.nrhs = options_.nrhs,
                                   .scalar_bytes = sizeof(T),
                                   .stored_bytes = sizeof(F),
                                   .complex = is_complex<T>,
                                   .compression_eps = attempt.compression.eps},
                      .op = options_.op,
                      .ranks_of_node = ranks_of_node_,
                      .threads = options_.threads,
                      .clusters = attempt.compression.eps > 0,
                      .rows = system_.matrix().partition(),
                      .numbers = system_.numbers()};
  if (attempt.pivoting == Pivoting::conservative)
    request.axes.diagonal = {std::string(symbolic::diagonals().front().name)};
  return request;
}

template <Scalar T>
numeric::FactorizationOptions Factorizer<T>::numeric_options(const Attempt& attempt) const {
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  numeric::FactorizationOptions options{
      .threads = options_.threads > 0
                     ? options_.threads
                     : numeric::useful_threads(*analysis_->structure, analysis_->kind, processors)};
  if (attempt.pivoting == Pivoting::conservative) options.relative_threshold = conservative_threshold;
  return options;
}

// Of panels while they are factored. (Devices take them as they are.) Where the automatic EPS may not do,
// which so far it always did for definite systems, another needs the values.
template <Scalar T>
Compression Factorizer<T>::compression_at_once(const Attempt& attempt) const {
  const bool alone = comm_.size() == 1 && options_.device == engine::Device::native;
  const bool may_change = options_.compress.automatic && analysis_->kind != numeric::Kind::cholesky;
  return alone && !may_change ? attempt.compression : Compression{};
}

#define INSTANTIATE(F, T)                                                                               \
  template MadeFactors<F, T> Factorizer<T>::factor<F>(const matrix::Csr<T>&, Attempt&, Report&);        \
  template std::shared_ptr<const Factorization<F>> Factorizer<T>::with_panels<F>(const matrix::Csr<T>&, \
                                                                                 const Attempt&) const;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::solve
