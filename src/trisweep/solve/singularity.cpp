#include "trisweep/solve/singularity.hpp"

#include <algorithm>
#include <cmath>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

constexpr int most_rounds = 4;
// The share of the known solution's largest entry that may be missed: three digits are beyond doubt, and less
// than one is none.
constexpr double surely_recovered = 1e-3;
constexpr double not_recovered = 0.1;

template <Scalar T>
class Rounds {
 public:
  Rounds(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver, RefinedSolver<T>& refined)
      : a_(a),
        solver_(solver),
        refined_(refined),
        unknown_scale_(solver.equation_scale(Op::transpose)),
        v_(usize(a.local_rows())),
        zero_(v_.size()),
        image_(v_.size()),
        recovered_(v_.size()) {
    const Index first = a.partition().first(a.comm().rank());
    // By the row's number alone, so that every grid asks the same.
    for (std::size_t i = 0; i < v_.size(); ++i)
      v_[i] = T(static_cast<RealOf<T>>(made_up_entry(usize(first) + i) * unknown_scale_[i]));
  }

  // The bound that v proves: the componentwise backward error of v as a solution of A v = 0.
  double condition() {
    const double error = refined_.backward_error(Op::none, columns(zero_), columns(v_)).arioli_demmel_duff;
    return error > 0 ? 1 / error : HUGE_VAL;
  }

  // The largest entry of what a solve misses of v.
  double missed(const RefinementOptions& refinement) {
    a_.residual(Op::none, columns(v_), columns(zero_), {image_.data(), rows(), 1}, solver_.pool());
    refined_.solve(Op::none, columns(image_), {recovered_.data(), rows(), 1}, refinement);
    std::transform(v_.begin(), v_.end(), recovered_.begin(), recovered_.begin(), std::plus<>{});
    return largest(recovered_);  // image_ is -A v
  }
  double size() { return largest(v_); }

  // v becomes what a solve misses of it, scaled to a largest entry of 1. Returns the share that was missed;
  // zero leaves v as it was.
  double miss() {
    const double before = size(), most = missed({.best = true});
    if (most > 0 && std::isfinite(most)) {
      std::transform(recovered_.begin(), recovered_.end(), v_.begin(),
                     [&](const T& entry) { return entry / static_cast<RealOf<T>>(most); });
    }
    return most / before;
  }

 private:
  Index rows() const { return a_.local_rows(); }
  // The largest entry of v over its scale.
  double largest(const std::vector<T>& v) {
    return krylov::max_norms_over({a_.comm(), solver_.pool()}, columns(v), unknown_scale_)[0];
  }
  Vectors<const T> columns(const std::vector<T>& v) const { return {v.data(), rows(), 1}; }

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
  RefinedSolver<T>& refined_;
  std::span<const double> unknown_scale_;
  std::vector<T> v_;
  std::vector<T> zero_;
  std::vector<T> image_;
  std::vector<T> recovered_;
};

}  // namespace

template <Scalar T>
Probe probe_singularity(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver,
                        RefinedSolver<T>& refined) {
  Rounds<T> rounds(a, solver, refined);
  Probe probe{.recovered = true};
  if (rounds.missed({}) <= surely_recovered * rounds.size()) return probe;
  double missed = 1;
  for (int round = 0; round < most_rounds && missed > surely_recovered; ++round) {
    probe.condition = std::max(probe.condition, rounds.condition());
    if (std::isinf(probe.condition)) break;
    missed = rounds.miss();
    // In every round: what singular factors return of a null vector is rounding, by chance nearly the vector.
    probe.recovered = probe.recovered && missed < not_recovered;
  }
  return probe;
}

#define INSTANTIATE(T) \
  template Probe probe_singularity(krylov::DistributedMatrix<T>&, TriangularSolver<T>&, RefinedSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
