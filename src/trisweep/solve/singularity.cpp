#include "trisweep/solve/singularity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::solve {
namespace {

constexpr int most_steps = 4;
// A known solution that comes back this well leaves no doubt that A is nonsingular.
constexpr double recovered = 1e-2;

// In [1, 2), by the row's number alone: the same vector on every grid (the finalizer of SplitMix64).
double made_up_entry(Index row) {
  auto z = (static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 1 + static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Vectors over this rank's rows, measured in the scaled unknowns or equations.
template <Scalar T>
class Scaled {
 public:
  Scaled(const transport::Communicator& comm, std::span<const double> scale) : comm_(comm), scale_(scale) {}

  // ||S v||_1, or ||S^-1 v||_1.
  double norm(const std::vector<T>& v, bool inverse) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      sum += inverse ? double(std::abs(v[i])) / scale_[i] : double(std::abs(v[i])) * scale_[i];
    return comm_.sum(sum);
  }

 private:
  const transport::Communicator& comm_;
  std::span<const double> scale_;
};

}  // namespace

template <Scalar T, Scalar F>
double condition_from_below(DistributedMatrix<T>& a, TriangularSolver<F>& solver) {
  const Index rows = a.local_rows();
  const Scaled<T> equations(a.comm(), solver.equation_scale(Op::none));
  const auto unknown_scale = solver.equation_scale(Op::transpose);
  const Scaled<T> unknowns(a.comm(), unknown_scale);
  RefinedSolver<T, F> refined(a, solver);
  std::vector<T> v(usize(rows)), image(usize(rows)), solution(usize(rows));
  const std::vector<T> zero(usize(rows));
  for (Index i = 0; i < rows; ++i) {
    const Index row = a.partition().first(a.comm().rank()) + i;
    v[usize(i)] = static_cast<T>(static_cast<RealOf<T>>(made_up_entry(row) * unknown_scale[usize(i)]));
  }
  double norm = unknowns.norm(v, true), condition = 0;
  for (int step = 0; step < most_steps; ++step) {
    a.residual(Op::none, {v.data(), rows, 1}, {zero.data(), rows, 1}, {image.data(), rows, 1});
    const double c = solver.scaled_norm_one() * norm / equations.norm(image, false);
    if (getenv("DBG") && a.comm().rank() == 0) fprintf(stderr, "step %d |v| %.3e cond %.3e\n", step, norm, c);
    condition = std::max(condition, c);
    if (!std::isfinite(c)) return std::numeric_limits<double>::infinity();
    refined.solve(Op::none, {image.data(), rows, 1}, {solution.data(), rows, 1}, {});
    std::transform(v.begin(), v.end(), solution.begin(), v.begin(), std::plus<>{});
    const double missed = unknowns.norm(v, true);double mx=0;for(Index i=0;i<rows;++i)mx=std::max(mx,double(std::abs(v[usize(i)]))/unknown_scale[usize(i)]);mx=a.comm().max(mx);
    if (missed == 0) break;
    if (getenv("DBG") && a.comm().rank() == 0) fprintf(stderr, "  mx %.3e\n", mx);
    for (T& entry : v) entry *= static_cast<RealOf<T>>(1.0 / mx);
    norm=unknowns.norm(v, true);
    if (mx < 1e-3) break;
  }
  return condition;
}

#define INSTANTIATE(T) template double condition_from_below(DistributedMatrix<T>&, TriangularSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template double condition_from_below(DistributedMatrix<double>&, TriangularSolver<float>&);
template double condition_from_below(DistributedMatrix<std::complex<double>>&,
                                     TriangularSolver<std::complex<float>>&);

}  // namespace trisweep::solve
