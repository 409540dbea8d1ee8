#include "trisweep/solve/answer.hpp"

namespace trisweep::solve {
namespace {

// In units of the precision: 1.1e-13 in double.
constexpr double most_backward_error = 450;
constexpr double clearly_ill = 0.01;

}  // namespace

// The condition estimate of perturbed factors is not A's: by itself it proves nothing.
template <Scalar T>
void assess(Answer& answer) {
  constexpr double limit = 1 / double(std::numeric_limits<RealOf<T>>::epsilon());
  const Regularity& r = answer.regularity;
  answer.satisfies = answer.error.arioli_demmel_duff <= most_backward_error / limit;
  answer.accurate = answer.error.componentwise <= most_backward_error / limit;
  answer.singular = r.probe_condition >= limit ||
                    (!r.recovered && (answer.satisfies || r.condition_estimate >= clearly_ill * limit));
  answer.doubtful = r.condition_estimate >= limit;
}

#define INSTANTIATE(T) template void assess<T>(Answer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
