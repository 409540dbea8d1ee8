#include "trisweep/solve/singularity.hpp"

#include <algorithm>
#include <cmath>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

constexpr int most_rounds = 4;
constexpr int samples = 2;  // a null vector is recovered by chance once in ten thousand times
// The share of the known solution's largest entry that may be missed: three digits are beyond doubt, and less
// than one is none.
constexpr double surely_recovered = 1e-3;
// Of a null vector as much comes back by chance once in some thousand times: unless half of the digits do,
// every one of so many samples has to be recovered.
constexpr int lucky_samples = 3;
constexpr double well_recovered = 0.02;
constexpr double not_recovered = 0.1;

// Null vectors have errors of a few epsilon: with a larger one, a vector is none.
template <Scalar T>
constexpr double least_condition_of_singular = 1.0 / (16 * double(std::numeric_limits<RealOf<T>>::epsilon()));

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
        recovered_(v_.size()) {}

  // v becomes a sample of random entries.
  void begin(int sample) {
    const distribution::RowPartition& rows = a_.partition();
    // By the row's number alone, so that every grid asks the same.
    const std::size_t first = usize(rows.first(a_.comm().rank())) + usize(sample) * usize(rows.rows());
    for (std::size_t i = 0; i < v_.size(); ++i)
      v_[i] = T(static_cast<RealOf<T>>(made_up_entry(first + i) * unknown_scale_[i]));
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

template <Scalar T>
Probe probe_from(Rounds<T>& rounds) {
  Probe probe{.recovered = true};
  double missed = 1;
  for (int round = 0; round < most_rounds && missed > surely_recovered; ++round) {
    probe.condition = std::max(probe.condition, rounds.condition());
    if (std::isinf(probe.condition)) break;
    missed = rounds.miss();
    // In every round: what singular factors return of a null vector is rounding, by chance nearly the vector.
    probe.recovered = probe.recovered && missed < not_recovered;
  }
  // In bad units much of a random vector is missed, but not of the direction in which it was.
  if (missed <= well_recovered && probe.condition < least_condition_of_singular<T>) probe.recovered = true;
  return probe;
}

}  // namespace

template <Scalar T>
Probe probe_singularity(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver,
                        RefinedSolver<T>& refined) {
  Rounds<T> rounds(a, solver, refined);
  Probe probe{.recovered = true, .missed = 0};
  for (int sample = 0; sample < lucky_samples && probe.missed <= surely_recovered; ++sample) {
    rounds.begin(sample);
    probe.missed = krylov::larger(probe.missed, rounds.missed({}) / rounds.size());
    if (probe.missed <= half_of_digits<T>()) return probe;  // the first sample's
  }
  if (probe.missed <= surely_recovered) return probe;
  for (int sample = 0; sample < samples && probe.recovered; ++sample) {
    rounds.begin(sample);
    const Probe found = probe_from(rounds);
    probe.recovered = found.recovered;
    probe.condition = std::max(probe.condition, found.condition);
  }
  return probe;
}

#define INSTANTIATE(T) \
  template Probe probe_singularity(krylov::DistributedMatrix<T>&, TriangularSolver<T>&, RefinedSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
