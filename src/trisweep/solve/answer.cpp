#include "trisweep/solve/answer.hpp"

namespace trisweep::solve {
namespace {

constexpr double clearly_ill = 0.01;

}  // namespace

template <Scalar T>
bool satisfies(const BackwardError& error) {
  return error.arioli_demmel_duff <= good_backward_error<T>;
}

// A condition estimate by perturbed factors is not that of A, and proves nothing by itself.
template <Scalar T>
void assess(Answer& answer) {
  constexpr double limit = 1 / double(std::numeric_limits<RealOf<T>>::epsilon());
  const ConditionEstimate& r = answer.condition;
  answer.satisfies = satisfies<T>(answer.error);
  answer.satisfies_small = answer.error.componentwise <= good_backward_error<T>;
  answer.singular = r.probe_condition >= limit ||
                    (!r.recovered && (answer.satisfies || r.condition_estimate >= clearly_ill * limit));
  answer.ill_conditioned = r.condition_estimate >= limit;
}

#define INSTANTIATE(T)              \
  template void assess<T>(Answer&); \
  template bool satisfies<T>(const BackwardError&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
