#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/krylov/inner_products.hpp"
#include "trisweep/solve/condition.hpp"

namespace trisweep::solve {
namespace {

// A step that leaves more than this share of the error is the last of its kind: of the cheap one early,
// because GMRES takes over.
constexpr double slowest_plain = 0.1;
constexpr double slowest_gmres = 0.5;

}  // namespace

template <Scalar T>
template <class Work>
auto RefinedSolver<T>::together(const Work& work) {
  return transport::together(a_.comm(), [&] { return transport::together(solver_.comm(), work); });
}

template <Scalar T>
void RefinedSolver<T>::make_room(Op op, Index nrhs) {
  require_same_call(a_.comm(), op, nrhs);
  solver_.prepare(op, nrhs);
  a_.prepare(op, nrhs);
  residuals_.prepare(op, nrhs);
  const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
  transport::collectively(a_.comm(), [&] {
    if (corrected_.size() < size) corrected_ = zeros<T>(size, "the vectors of refinement");
  });
}

template <Scalar T>
double RefinedSolver<T>::improve(const System& system, const Correction& correction, double goal, Kind kind) {
  const Vectors<T> x = system.x;
  Crew& crew = solver_.crew();
  const Vectors<T> candidate{corrected_.data(), x.rows, x.cols};
  correction(residuals_.residual(x.cols), candidate);
  krylov::assign(
      crew, krylov::columns_of(x), candidate, [](Index, const T& before, const T& d) { return before + d; },
      x, candidate);
  const auto error = residuals_.measure(system.op, system.b, candidate);
  double best = 1;
  std::vector<Index> taken;
  for (std::size_t c = 0; c < error.size(); ++c) {
    const double before = error_[c].*kind, after = error[c].*kind;
    // The larger unknowns may not suffer for the small ones; never from infinity to infinity.
    if (after < before && !(error[c].arioli_demmel_duff > std::max(error_[c].arioli_demmel_duff, goal))) {
      best = std::min(best, std::isfinite(before) ? after / before : 0);
      error_[c] = error[c];
      taken.push_back(static_cast<Index>(c));
    }
  }
  krylov::assign(
      crew, taken, x, [](Index, const T& after) { return after; }, candidate);
  steps_ += best < 1;
  if (taken.size() < error.size()) residuals_.measure(system.op, system.b, x);  // of what was not taken
  return best;
}

template <Scalar T>
Refined RefinedSolver<T>::refine(const System& system, const RefinementOptions& options) {
  const Op op = system.op;
  const Vectors<const T> b = system.b;
  const Vectors<T> x = system.x;
  constexpr double epsilon = std::numeric_limits<R>::epsilon();
  const double target = options.target > 0 ? options.target : epsilon;
  const double acceptable = std::max(target, options.acceptable > 0 ? options.acceptable : 10 * epsilon);
  const auto typical = &ColumnError::arioli_demmel_duff, every = &ColumnError::componentwise;
  const Correction by_factors = [&](Vectors<T> r, Vectors<T> d) { corrections_.by_factors(op, r, d); };
  const Correction by_gmres = [&](Vectors<T> r, Vectors<T> d) {
    std::vector<Index> wanted;
    for (const Index c : krylov::columns_of(r)) {
      if (error_[usize(c)].*typical > acceptable) wanted.push_back(c);
    }
    corrections_.by_gmres(op, wanted, residuals_.magnitude(r.cols), r, d);
  };
  corrections_.by_factors(op, b, x);
  error_ = residuals_.measure(op, b, x);
  steps_ = 0;
  const auto repeat = [&](const Correction& correction, double goal, double slowest) {
    while (steps_ < options.max_steps && largest(error_, typical) > goal) {
      if (improve(system, correction, goal, typical) > slowest) break;
    }
  };
  repeat(by_factors, target, slowest_plain);
  repeat(by_gmres, acceptable, slowest_gmres);
  for (const bool zero_the_undetermined : {false, true}) {
    const Correction small_ones = [&](Vectors<T> r, Vectors<T> d) {
      corrections_.by_factors_repeatedly(op, {b, x}, r, d, zero_the_undetermined);
    };
    if (largest(error_, typical) <= acceptable && largest(error_, every) > acceptable &&
        steps_ < options.max_steps)
      improve(system, small_ones, acceptable, every);
  }
  const auto worse = [](const ColumnError& e, const ColumnError& f) {
    return e.componentwise < f.componentwise;
  };
  return {.error = summary(op, b, x),
          .steps = steps_,
          .worst = static_cast<Index>(std::ranges::max_element(error_, worse) - error_.begin())};
}

template <Scalar T>
BackwardError RefinedSolver<T>::summary(Op op, Vectors<const T> b, Vectors<const T> x) const {
  return {.componentwise = largest(error_, &ColumnError::componentwise),
          .arioli_demmel_duff = largest(error_, &ColumnError::arioli_demmel_duff),
          .normwise = residuals_.normwise(op, b, x)};
}

template <Scalar T>
template <class Fill>
double RefinedSolver<T>::condition_of(Op op, Index column, const Fill& fill) {
  return together([&] {
    std::vector<R> weight;
    transport::collectively(a_.comm(), [&] { weight.resize(usize(a_.local_rows())); });
    fill(weight);
    const std::span magnitude(residuals_.magnitude(column + 1).column(column), weight.size());
    return skeel_condition<T>(solver_, op, weight, magnitude);
  });
}

template <Scalar T>
double RefinedSolver<T>::condition(Op op, Vectors<const T> x, Index column) {
  return condition_of(op, column, [&](std::vector<R>& weight) {
    const auto norm = krylov::max_norms<T>({a_.comm(), solver_.crew()}, x.columns(column, 1));
    std::ranges::fill(weight, norm[0] > 0 ? static_cast<R>(1 / norm[0]) : R(0));
  });
}

template <Scalar T>
double RefinedSolver<T>::componentwise_condition(Op op, Vectors<const T> x, Index column) {
  return condition_of(op, column, [&](std::vector<R>& weight) {
    const T* const unknown = x.column(column);
    std::transform(unknown, unknown + weight.size(), weight.begin(),
                   [](const T& v) { return v == T{} ? R(0) : R(1) / std::abs(v); });
  });
}

template <Scalar T>
void RefinedSolver<T>::prepare(Op op, Index nrhs) {
  together([&] { make_room(op, nrhs); });
}

template <Scalar T>
Refined RefinedSolver<T>::solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options) {
  return together([&] {
    transport::collectively(a_.comm(), [&] { require_apart<T>(b, x, a_.local_rows()); });
    make_room(op, b.cols);
    return refine({op, b, x}, options);
  });
}

template <Scalar T>
BackwardError RefinedSolver<T>::backward_error(Op op, Vectors<const T> b, Vectors<const T> x) {
  return together([&] {
    make_room(op, b.cols);
    error_ = residuals_.measure(op, b, x);
    return summary(op, b, x);
  });
}

#define INSTANTIATE(T) template class RefinedSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
