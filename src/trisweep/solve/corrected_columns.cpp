#include "trisweep/solve/corrected_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

// A step that leaves more than this share of the error is the last of its kind. By the factors that is early,
// because GMRES takes over.
constexpr double slowest_by_factors = 0.1;
constexpr double slowest_by_gmres = 0.5, slowest_of_replaceable = 0.01;

}  // namespace

double arioli_demmel_duff(const ColumnError& e) {
  return e.arioli_demmel_duff;
}
double componentwise(const ColumnError& e) {
  return e.componentwise;
}
double of_small_unknowns(const ColumnError& e) {
  return e.small.residual;
}

template <Scalar T>
RefinementLimits RefinementLimits::of(const RefinementOptions& options) {
  constexpr double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  const double acceptable = options.acceptable > 0 ? options.acceptable : acceptable_error<T>;
  RefinementLimits limits{.target = acceptable,
                          .acceptable = acceptable,
                          .steps = options.max_steps,
                          .of_small = of_small_unknowns,
                          .small = negligible_residual<T>,
                          .small_at_most = std::numeric_limits<double>::infinity(),
                          .best = options.best,
                          .replaceable = options.replaceable};
  if (options.best || options.small_unknowns) {
    limits.of_small = componentwise;
    limits.small = acceptable;
    limits.small_at_most = good_backward_error<T>;
  }
  if (options.best) {
    limits.target = limits.small = epsilon;
    limits.small_at_most = acceptable;
  }
  return limits;
}

double CorrectedColumns::most(ErrorMeasure measure) const {
  double most = 0;
  for (const ColumnError& e : errors_) most = krylov::larger(most, measure(e));
  return most;
}

bool CorrectedColumns::are_done(const RefinementLimits& limits) const {
  const bool is_enough =
      most(arioli_demmel_duff) <= limits.acceptable && most(limits.of_small) <= limits.small_at_most;
  return is_enough || steps_ >= limits.steps;
}

void CorrectedColumns::correct_by_factors(const CorrectionStep& step, const RefinementLimits& limits) {
  repeat(step, arioli_demmel_duff, limits.target, slowest_by_factors, limits);
  if (!limits.best && !(most(arioli_demmel_duff) > limits.target))
    repeat(step, limits.of_small, limits.small, slowest_by_factors, limits);
}

void CorrectedColumns::correct_by_gmres(const CorrectionStep& step, const RefinementLimits& limits) {
  repeat(step, arioli_demmel_duff, limits.acceptable,
         limits.replaceable ? slowest_of_replaceable : slowest_by_gmres, limits);
}

void CorrectedColumns::repeat(const CorrectionStep& step, ErrorMeasure measure, double goal, double slowest,
                              const RefinementLimits& limits) {
  while (steps_ < limits.steps && most(measure) > goal) {
    if (improve(step, measure, limits) > slowest) break;
  }
}

double CorrectedColumns::improve(const CorrectionStep& step, ErrorMeasure measure,
                                 const RefinementLimits& limits) {
  if (!has_residual_) step.measure();
  std::vector<Index> taken;
  taken.reserve(errors_.size());
  const auto other = step.correct();
  double best = 1;
  for (std::size_t c = 0; c < other.size(); ++c) {
    const double before = measure(errors_[c]), after = measure(other[c]);
    const double bound = std::max(errors_[c].arioli_demmel_duff, limits.acceptable);
    // Small unknowns must not be corrected at the expense of larger ones. Infinity to infinity is no
    // progress.
    if (after < before && !(other[c].arioli_demmel_duff > bound)) {
      best = std::min(best, std::isfinite(before) ? after / before : 0);
      errors_[c] = other[c];
      taken.push_back(static_cast<Index>(c));
    }
  }
  step.take(taken);
  steps_ += best < 1;
  has_residual_ = taken.size() == other.size();
  return best;
}

#define INSTANTIATE(T) template RefinementLimits RefinementLimits::of<T>(const RefinementOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
