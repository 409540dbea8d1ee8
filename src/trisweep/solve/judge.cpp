#include "trisweep/solve/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/split_mix.hpp"

namespace trisweep::solve {

template <Scalar T>
Answer Judge<T>::unjudged(Refined result) {
  Answer answer{.error = result.error,
                .columns = std::move(result.columns),
                .small = result.small,
                .refinement_steps = result.steps,
                .worst = result.worst,
                .reductions = result.reductions,
                .condition = {},
                .seconds = result.seconds,
                .panel_share = result.panel_share};
  assess<T>(answer);
  return answer;
}

template <Scalar T>
void Judge<T>::judge(Answer& answer) {
  const auto start = Clock::now();
  if (!condition_) probe();
  answer.condition = *condition_;
  answer.seconds += seconds_since(start);
  assess<T>(answer);
  report_.numerically_singular = answer.singular;
}

template <Scalar T>
const Answer& Judge<T>::sample(Op op) {
  if (const auto known = sample_.find(op); known != sample_.end()) return known->second;
  std::vector<T> known, b, x;
  mpi::agree_on_error(a_.comm(), [&] {
    const auto first = usize(a_.partition().first(a_.comm().rank()));
    for (Index i = 0; i < a_.local_rows(); ++i)
      known.push_back(T(static_cast<RealOf<T>>(made_up_entry(first + usize(i)))));
    b.resize(known.size());
    x.resize(known.size());
  });
  a_.prepare(op, 1);
  a_.apply(op, known, b, solver_.pool());
  Answer answer = unjudged(refined_.solve(op, b, x, {.max_steps = 0}));
  judge(answer);
  mpi::agree_on_error(a_.comm(), [&] { sample_.emplace(op, std::move(answer)); });
  return sample_.at(op);
}

template <Scalar T>
double Judge<T>::condition_estimate() {
  if (!condition_) probe();
  if (std::isnan(condition_->condition_estimate)) estimate();
  return condition_->condition_estimate;
}

// With perturbed factors, the known solution may by chance have no component in the direction in which they
// differ from A; so the condition is estimated, too.
template <Scalar T>
void Judge<T>::probe() {
  const Probe found = probe_singularity(a_, solver_, refined_);
  condition_ = {.probe_condition = found.condition, .recovered = found.recovered};
  if (found.missed > half_of_digits<T>() || solver_.compression() || report_.perturbed_pivots > 0) estimate();
}

template <Scalar T>
void Judge<T>::estimate() {
  const bool is_singular =
      condition_->probe_condition * double(std::numeric_limits<RealOf<T>>::epsilon()) >= 1;
  const double estimate = refined_.estimate_condition(factors_are_of_another_ && !is_singular);
  condition_->condition_estimate = std::max(condition_->probe_condition, estimate);
  report_.condition_estimate = condition_->condition_estimate;
}

#define INSTANTIATE(T) template class Judge<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
