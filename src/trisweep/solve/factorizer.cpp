#include "trisweep/solve/factorizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trisweep/backend/device.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/compressed_factors.hpp"
#include "trisweep/solve/dissecting_ranks.hpp"
#include "trisweep/solve/parallel_analysis.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::solve {
namespace {

constexpr double conservative_threshold = 0.5;
constexpr double conservative_growth = 1000;
// Smallest pivot that is kept, relative to the largest entry, in epsilons: smaller ones are rounding errors.
constexpr double conservative_epsilons = 4;

// Throws Error(numerical) if an entry of `given` underflowed to zero or overflowed when it was converted to
// `a`. (Here entries are scaled after the conversion; rank 0 scales before it.)
template <Scalar F, Scalar T>
void require_in_range(const matrix::Csr<F>& a, const matrix::Csr<T>& given) {
  const auto zeros = [](const auto& values) {
    return std::ranges::count_if(values, [](const auto& v) { return std::abs(v) == 0; });
  };
  if (zeros(a.value) == zeros(given.value) && std::ranges::all_of(a.value, is_finite<F>)) return;
  throw Error(ErrorKind::numerical, "entries of the matrix are beyond single precision",
              "factor in double precision");
}

}  // namespace

template <Scalar T>
void Factorizer<T>::begin(const Attempt& attempt, const Report& report) {
  if (attempt.reuses_analysis) return;
  if (attempt.pivoting == Pivoting::conservative && !standard_) {
    standard_ = {
        .choice = report.plan, .analysis = analysis_, .separators = report.separators, .model = report.model};
    if (standard_->model) standard_->model->seconds = 0;  // already counted in the report
  }
  analysis_ = factored_ = nullptr;
}

template <Scalar T>
void Factorizer<T>::return_to_standard(Report& report) {
  if (standard_) adopt(*std::exchange(standard_, {}), report);
}

template <Scalar T>
template <Scalar F>
AttemptFactors<F, T> Factorizer<T>::factor(Attempt& attempt, Report& report) {
  if (given_.in_full || given_.in_single) return {take_given<F>(attempt, report)};
  if (is_of_engine(attempt)) return {factor_by_engine<F>(attempt, report)};
  if (comm_.size() > 1) return {factor_on_all_ranks<F>(attempt, report)};
  AttemptFactors<F, T> factors;
  system_.gather([&](const matrix::Csr<T>& a) {
    auto made = factor_alone<F>(a, attempt, report);
    factors = {root_factors<F>(std::move(made.factorization)), std::move(made.tiles)};
  });
  return factors;
}

// If Cholesky finds the matrix not definite, it is factored in another kind. (On one rank, L D L^T never
// fails: if it does not lead to a solution, the next attempt is LU.)
template <Scalar T>
template <Scalar F>
auto Factorizer<T>::factor_alone(const matrix::Csr<T>& a, Attempt& attempt, Report& report)
    -> MadeFactors<F> {
  begin(attempt, report);
  if (auto again = factor_as_before<F>(a, attempt, report); again.factorization) return again;
  for (int failed = 0;; ++failed) {
    adopt(analyze<F>(a, attempt, failed), report);
    if (auto made = try_factor<F>(a, analysis_, attempt, report.factor); made.factorization) return made;
  }
}

// Only rank 0 knows the analysis to start from. Values that no longer suit its kind, or for which pivots are
// perturbed, are analyzed anew.
template <Scalar T>
template <Scalar F>
std::shared_ptr<FactorSource<F>> Factorizer<T>::factor_on_all_ranks(Attempt& attempt, Report& report) {
  auto& fronts = fronts_.template in<F>();
  Observer& observer = options_.observed_by();
  const auto begin_fronts = [&] {
    fronts.begin(comm_, analysis_);
    is_adopted_ = false;
  };
  const auto try_factor = [&] {
    const auto rows = mpi::agree_on_error(comm_, [&] { return system_.template rows_in<T>(); });
    return fronts.factor(comm_, rows, system_.matrix().partition(),
                         numeric_options(threads_for(*fronts.analysis()), attempt), observer);
  };
  begin(attempt, report);
  struct {
    bool has_analysis, begins;
  } at_root{has_analysis_for(attempt), is_adopted_ || analysis_ != fronts.analysis()};
  comm_.broadcast(at_root);
  std::optional<FrontFactors<F>> made;
  if (at_root.has_analysis) {
    if (at_root.begins) begin_fronts();
    made = try_factor();
    if (made && made->perturbed_pivots > 0) made.reset();
  }
  for (int failed = 0; !made; ++failed) {
    auto planned = analyze_on_ranks<F>(attempt, failed);
    mpi::agree_on_error(comm_, [&] {
      if (comm_.rank() == 0) adopt(std::move(planned), report);
    });
    begin_fronts();
    made = try_factor();
  }
  const auto analysis = made->source->analysis(comm_);
  mpi::agree_on_error(comm_, [&] {
    if (comm_.rank() != 0) return;
    settle_compression<F>(attempt);
    describe_factors(*analysis, *made->source, report.factor);
    report.factor.seconds += made->seconds;
    begun_ = analysis_;
  });
  return std::move(made->source);
}

// Clusters of unknowns and balanced units need the matrix.
template <Scalar T>
template <Scalar F>
PlannedSystem Factorizer<T>::analyze_on_ranks(const Attempt& attempt, int failed) const {
  PlannedSystem planned;
  const auto start = Clock::now();
  double seconds = 0;  // of an analysis by all ranks
  if (attempt.pivoting == Pivoting::standard && attempt.compression.eps == 0) {
    const PlanRequest request = mpi::agree_on_error(comm_, [&] { return plan_request<F>(attempt); });
    const auto wanted = mpi::agree_on_error(comm_, [&] { return wanted_analyses(request); });
    auto analyses = analyze_in_parallel(
        comm_, system_,
        {.kind = options_.kind, .failed = failed, .ordering = wanted.ordering, .symbolic = wanted.symbolic},
        options_.observed_by());
    seconds = seconds_since(start);
    if (analyses) {
      const model::ProductShare product = system_.product_share();
      mpi::agree_on_error(comm_, [&] {
        if (comm_.rank() != 0) return;
        planned = plan_with(product, wanted, *std::move(analyses), request, options_.observed_by());
        planned.analysis_seconds = seconds;
      });
      return planned;
    }
  }
  gather_to_order(comm_, system_, [&](const matrix::Csr<T>& a, ordering::Helpers& others) {
    planned = analyze<F>(a, attempt, failed, &others);
    planned.analysis_seconds += seconds;
  });
  return planned;
}

template <Scalar T>
template <Scalar F>
PlannedSystem Factorizer<T>::analyze(const matrix::Csr<T>& a, const Attempt& attempt, int failed,
                                     ordering::Helpers* helpers) const {
  const bool conservative = attempt.pivoting == Pivoting::conservative;
  const auto kind = conservative ? numeric::Kind::lu : chosen_kind(options_.kind, a, failed);
  PlanRequest request = plan_request<F>(attempt);
  request.helpers = helpers;
  return plan_system(a, kind, request, options_.observed_by());
}

template <Scalar T>
void Factorizer<T>::adopt(PlannedSystem planned, Report& report) {
  ++analyses_;
  analysis_ = planned.analysis;
  is_adopted_ = true;
  factored_ = nullptr;
  planned_key_ = nullptr;
  report.plan = planned.choice;
  report.factor.analysis_seconds += planned.analysis_seconds;
  report.separators = planned.separators;
  const double before = report.model ? report.model->seconds : 0;
  report.model = std::move(planned.model);
  if (report.model) report.model->seconds += before;
}

template <Scalar T>
template <Scalar F>
std::shared_ptr<FactorSource<F>> Factorizer<T>::take_given(const Attempt& attempt, Report& report) {
  const FactorSources<T> given = std::exchange(given_, {});
  if (!given.template in<F>())
    throw mpi::CollectiveError(ErrorKind::usage, "the given factors are in another precision",
                               "choose the option `mixed` as they are");
  auto source = factors_of_system(comm_, given.template in<F>(), system_);
  plan_for(source, given.diagonal, attempt, report);
  report.factor.given = true;
  return source;
}

template <Scalar T>
template <Scalar F>
void Factorizer<T>::plan_for(std::shared_ptr<FactorSource<F>> source, const std::string& diagonal,
                             const Attempt& attempt, Report& report) {
  const auto analysis = source->analysis(comm_);
  const model::ProductShare product = system_.product_share();
  mpi::agree_on_error(comm_, [&] {
    if (comm_.rank() != 0) return;
    if (const auto key = source->analysis_key(comm_); !key || key != planned_key_) {
      PlanRequest request = plan_request<F>(attempt);
      request.axes.diagonal = {diagonal};
      adopt(plan_with(product, analysis, request, options_.observed_by()), report);
      planned_key_ = key;
    }
    describe_factors(*analysis, *source, report.factor);
    if (!source->holds_matrix()) analysis_ = nullptr;
    begun_ = factored_ = analysis_;
  });
}

template <Scalar T>
template <Scalar F>
std::shared_ptr<FactorSource<F>> Factorizer<T>::factor_by_engine(const Attempt& attempt, Report& report) {
  const FactorEngine& engine = *options_.factorization;
  auto& of_system = engine_.template in<F>();
  auto rows = mpi::agree_on_error(comm_, [&] {
    if (!of_system || !attempt.reuses_analysis) of_system = engine.make(std::type_identity<F>());
    if (!of_system)
      throw Error(
          ErrorKind::usage,
          fmt::format("{} has no {}factors in {} precision", engine.name(), is_complex<F> ? "complex " : "",
                      sizeof(RealOf<F>) == sizeof(float) ? "single" : "double"),
          "choose another precision, or our own factorization");
    auto in_precision = system_.template rows_in<F>();
    if constexpr (!std::same_as<F, T>) require_in_range(in_precision, system_.matrix().local());
    return in_precision;
  });
  auto source = of_system->factor(comm_, std::move(rows), system_.matrix().partition(),
                                  {.ordering = options_.ordering,
                                   .threads = std::max(options_.threads, 1),
                                   .numbers = system_.numbers(),
                                   .observer = options_.observed_by()});
  plan_for(source, std::string(symbolic::diagonals().front().name), attempt, report);
  report.factor.factorization = engine.name();
  return source;
}

// Tries the last structure, with its delayed pivots, then the planned one; returns no factors if neither
// suits the new values. (New values of the pattern may no longer be symmetric, which kinds that read one
// triangle need.)
template <Scalar T>
template <Scalar F>
auto Factorizer<T>::factor_as_before(const matrix::Csr<T>& a, Attempt& attempt, Report& report)
    -> MadeFactors<F> {
  if (!has_analysis_for(attempt) || !suits(analysis_->kind, a)) return {};
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
  return unperturbed(again) ? again : MadeFactors<F>{};
}

// Factors with the given analysis; returns no factors if Cholesky fails.
template <Scalar T>
template <Scalar F>
auto Factorizer<T>::try_factor(const matrix::Csr<T>& a, const std::shared_ptr<const Analysis>& analysis,
                               Attempt& attempt, FactorReport& report) -> MadeFactors<F> {
  settle_compression<F>(attempt);
  auto done = try_factor_in_tiles<F>(a, analysis, numeric_options(threads_for(*analysis_), attempt),
                                     compression_at_once(attempt), options_.observed_by());
  report.seconds += done.seconds;
  report.compression_seconds += done.lost_seconds;
  if (!done.factorization) return {};
  if (options_.compress.automatic && done.too_long) attempt.compression = {};
  auto made = std::make_shared<const Factorization<F>>(*std::move(done.factorization));
  describe_factors(*made->analysis, *root_factors<F>(made), report);
  factored_ = made->factors->perturbed_pivots == 0 ? made->analysis : nullptr;
  begun_ = analysis;
  if (analysis == analysis_) first_bytes_ = report.bytes;
  return {std::move(made), std::move(done.tiles)};
}

template <Scalar T>
template <Scalar F>
void Factorizer<T>::settle_compression(Attempt& attempt) const {
  const auto [eps, most] = attempt.compression;
  if (options_.compress.automatic && eps > 0 && expected_share<F, T>(*analysis_, eps) > most)
    attempt.compression = {};
}

template <Scalar T>
template <Scalar F>
void Factorizer<T>::describe_factors(const Analysis& analysis, const FactorSource<F>& source,
                                     FactorReport& report) {
  if (estimated_ != std::tuple(analysis.structure, analysis.kind, sizeof(F))) {
    estimated_ = {analysis.structure, analysis.kind, sizeof(F)};
    estimate_ = numeric::estimate_factors(*analysis.structure, analysis.kind, sizeof(F));
  }
  describe(report, *analysis.structure, analysis.kind, estimate_);
  report.pivots.reset();
  source.describe(report);
  if (report.pivots)
    report.pivots->log_modulus -= double(analysis.structure->n) * std::log(double(system_.unit()));
}

template <Scalar T>
template <Scalar F>
std::shared_ptr<const Factorization<F>> Factorizer<T>::with_panels(const matrix::Csr<T>& a,
                                                                   const Attempt& attempt,
                                                                   double pivot_threshold) const {
  const auto begun = begun_ ? begun_ : analyze<F>(a, attempt).analysis;
  numeric::FactorizationOptions options = numeric_options(threads_for(*begun), attempt);
  if (pivot_threshold > 0) options.pivot_threshold = options.pivot_replacement = pivot_threshold;
  return std::make_shared<const Factorization<F>>(
      solve::try_factor<F>(a, begun, options, options_.observed_by()).value());
}

template <Scalar T>
FactorSources<T> Factorizer<T>::to_give(const Attempt& attempt, const Report& report) const {
  FactorSources<T> made{.diagonal = report.plan.diagonal};
  if (attempt.low_precision) {
    made.in_single = once_more<Single<T>>(attempt);
  } else {
    made.in_full = once_more<T>(attempt);
  }
  return made;
}

template <Scalar T>
template <Scalar F>
std::shared_ptr<FactorSource<F>> Factorizer<T>::once_more(const Attempt& attempt) const {
  const int threads = options_.threads > 0 ? options_.threads : processors();
  const auto analyze_anew = [&](int failed) { return analyze_on_ranks<F>(attempt, failed).analysis; };
  auto made = factor_once<F>(comm_, system_, begun_, analyze_anew, numeric_options(threads, attempt),
                             options_.observed_by());
  return factors_of_caller(comm_, std::move(made.source), system_);
}

template <Scalar T>
template <Scalar F>
PlanRequest Factorizer<T>::plan_request(const Attempt& attempt) const {
  const bool conservative = attempt.pivoting == Pivoting::conservative;
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
                      .on_gpus = backend::is_gpu(options_.device),
                      .clusters = attempt.compression.eps > 0,
                      .rows = system_.matrix().partition(),
                      .numbers = system_.numbers(),
                      .balanced = conservative};
  if (conservative) request.axes.diagonal = {std::string(symbolic::diagonals().front().name)};
  return request;
}

template <Scalar T>
int Factorizer<T>::threads_for(const Analysis& analysis) const {
  return options_.threads > 0 ? options_.threads
                              : numeric::useful_threads(*analysis.structure, analysis.kind, processors());
}

template <Scalar T>
numeric::FactorizationOptions Factorizer<T>::numeric_options(int threads, const Attempt& attempt) const {
  numeric::FactorizationOptions options{.threads = threads};
  if (attempt.pivoting == Pivoting::conservative) {
    options.relative_threshold = conservative_threshold;
    options.growth = conservative_growth;
    const double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
    options.pivot_threshold = conservative_epsilons * epsilon;
    options.pivot_replacement = std::sqrt(epsilon);
  }
  return options;
}

// Compression of panels during the factorization: none for devices, which take uncompressed panels, and none
// if the automatic eps may have to be changed, which needs the values (never observed for definite systems).
template <Scalar T>
Compression Factorizer<T>::compression_at_once(const Attempt& attempt) const {
  const bool alone = comm_.size() == 1 && options_.device == engine::Device::native;
  const bool may_change = options_.compress.automatic && analysis_->kind != numeric::Kind::cholesky;
  return alone && !may_change ? attempt.compression : Compression{};
}

#define INSTANTIATE(F, T)                                                                      \
  template AttemptFactors<F, T> Factorizer<T>::factor<F>(Attempt&, Report&);                   \
  template PlannedSystem Factorizer<T>::analyze<F>(const matrix::Csr<T>&, const Attempt&, int, \
                                                   ordering::Helpers*) const;                  \
  template PlannedSystem Factorizer<T>::analyze_on_ranks<F>(const Attempt&, int) const;        \
  template std::shared_ptr<const Factorization<F>> Factorizer<T>::with_panels<F>(              \
      const matrix::Csr<T>&, const Attempt&, double) const;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)
#define INSTANTIATE_REST(T)                                   \
  template void Factorizer<T>::adopt(PlannedSystem, Report&); \
  template void Factorizer<T>::return_to_standard(Report&);   \
  template FactorSources<T> Factorizer<T>::to_give(const Attempt&, const Report&) const;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_REST)

}  // namespace trisweep::solve
