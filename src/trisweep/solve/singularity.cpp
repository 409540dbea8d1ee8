#include "trisweep/solve/singularity.hpp"

#include <algorithm>
#include <cmath>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

constexpr int most_rounds = 4;
constexpr int samples = 2;  // a null vector is recovered by chance once in ten thousand times
// Bounds on the error relative to the known solution's largest entry: with three digits the solution is
// recovered beyond doubt, with less than one it is not.
constexpr double surely_recovered = 1e-3;
// A null vector is recovered to three digits by chance about once in a thousand times: unless a sample is
// recovered to half of the digits, all of these samples have to be recovered.
constexpr int lucky_samples = 3;
constexpr double well_recovered = 0.02;
constexpr double not_recovered = 0.1;

// Null vectors have backward errors of a few epsilon: a vector with a larger one is no null vector.
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

  // Sets v to a sample of random entries.
  void begin(int sample) {
    const distribution::RowPartition& rows = a_.partition();
    // By row number, so that the sample is the same on every grid.
    const std::size_t first = usize(rows.first(a_.comm().rank())) + usize(sample) * usize(rows.rows());
    for (std::size_t i = 0; i < v_.size(); ++i)
      v_[i] = T(static_cast<RealOf<T>>(made_up_entry(first + i) * unknown_scale_[i]));
  }

  // Lower bound of the condition number that v proves: 1 / the backward error of v as a solution of A v = 0.
  double condition() {
    const double error = refined_.backward_error(Op::none, columns(zero_), columns(v_)).arioli_demmel_duff;
    return error > 0 ? 1 / error : HUGE_VAL;
  }

  // Returns the largest entry of the error of a solve for v.
  double missed(const RefinementOptions& refinement) {
    a_.residual(Op::none, columns(v_), columns(zero_), {image_.data(), rows(), 1}, solver_.pool());
    refined_.solve(Op::none, columns(image_), {recovered_.data(), rows(), 1}, refinement);
    std::transform(v_.begin(), v_.end(), recovered_.begin(), recovered_.begin(), std::plus<>{});
    return largest(recovered_);  // image_ is -A v
  }
  double size() { return largest(v_); }

  // Replaces v by the error of a solve for v, scaled to a largest entry of 1. Returns the relative error; if
  // it is zero, v is unchanged.
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
  // Returns the largest |v_i| / scale_i.
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
    // In every round: for a null vector, singular factors return rounding errors, by chance close to it.
    probe.recovered = probe.recovered && missed < not_recovered;
  }
  // In bad units, solves for random vectors have large errors, but the error vectors are recovered.
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
    if (probe.missed <= half_of_digits<T>()) return probe;  // by the first sample
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
