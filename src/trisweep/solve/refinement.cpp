#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/solve/gmres.hpp"

namespace trisweep::solve {
namespace {

// A GMRES correction stops here; its outcome is corrected again if need be.
constexpr int gmres_steps = 60;
constexpr double gmres_reduction = 1e-8;
// A step that leaves more than this share of the error is the last of its kind: of the cheap one early,
// because GMRES takes over.
constexpr double slowest_plain = 0.1;
constexpr double slowest_gmres = 0.5;

// The largest magnitude in each column, over all ranks. NaN and infinity come out as infinity.
template <Scalar T>
std::vector<double> column_norms(const transport::Communicator& comm, Columns<const T> v, Index rows) {
  std::vector<double> norm(usize(v.nrhs));
  for (Index c = 0; c < v.nrhs; ++c) {
    const T* at = v.data + usize(c) * usize(v.ld);
    for (Index i = 0; i < rows; ++i) {
      const double magnitude = std::abs(at[i]);
      norm[usize(c)] = std::isfinite(magnitude) ? std::max(norm[usize(c)], magnitude)
                                                : std::numeric_limits<double>::infinity();
    }
  }
  transport::check(MPI_Allreduce(MPI_IN_PLACE, norm.data(), v.nrhs, MPI_DOUBLE, MPI_MAX, comm.handle()),
                   "MPI_Allreduce");
  return norm;
}

// y(i, :) = scale(i) x(i, :). `x` and `y` may be the same.
template <Scalar T>
void scale_rows(Columns<const T> x, std::span<const double> scale, Columns<T> y) {
  for (Index c = 0; c < x.nrhs; ++c) {
    const T* from = x.data + usize(c) * usize(x.ld);
    std::transform(from, from + scale.size(), scale.begin(), y.data + usize(c) * usize(y.ld),
                   [](const T& v, double s) { return v * static_cast<RealOf<T>>(s); });
  }
}

}  // namespace

template <Scalar T, Scalar F>
std::vector<double> RefinedSolver<T, F>::backward_errors(Op op, Columns<const T> b, Columns<const T> x) {
  const Index rows = a_.local_rows();
  const Columns<T> r{residual_.data(), rows, b.nrhs};
  a_.residual(op, x, b, r);
  const auto norm_r = column_norms<T>(a_.comm(), {r.data, r.ld, r.nrhs}, rows);
  const auto norm_x = column_norms(a_.comm(), x, rows), norm_b = column_norms(a_.comm(), b, rows);
  std::vector<double> error(usize(b.nrhs));
  for (std::size_t c = 0; c < error.size(); ++c) {
    const double scale = a_.norm_inf(op) * norm_x[c] + norm_b[c];
    error[c] = norm_r[c] == 0 ? 0 : norm_r[c] / scale;
    if (!std::isfinite(error[c])) error[c] = std::numeric_limits<double>::infinity();
  }
  return error;
}

template <Scalar T, Scalar F>
void RefinedSolver<T, F>::apply(Op op, Columns<const T> b, Columns<T> x) {
  if constexpr (std::same_as<T, F>) {
    solver_.solve(op, b, x);
  } else {
    // Scaling in T: A's scale factors, and what they are applied to, need not fit F.
    const Index rows = a_.local_rows();
    const auto equation_scale = solver_.equation_scale(op);
    const auto unknown_scale = solver_.equation_scale(op == Op::none ? Op::transpose : Op::none);
    scale_rows(b, equation_scale, x);
    const auto norm = column_norms<T>(a_.comm(), {x.data, x.ld, x.nrhs}, rows);
    low_.resize(usize(rows) * usize(b.nrhs));
    const Columns<F> low{low_.data(), rows, b.nrhs};
    const auto size = [&](Index c) {
      return norm[usize(c)] > 0 ? static_cast<RealOf<T>>(norm[usize(c)]) : 1;
    };
    for (Index c = 0; c < x.nrhs; ++c) {
      const T* from = x.data + usize(c) * usize(x.ld);
      std::transform(from, from + rows, low.data + usize(c) * usize(rows),
                     [s = size(c)](const T& v) { return static_cast<F>(v / s); });
    }
    solver_.solve(op, {low.data, low.ld, low.nrhs}, low, false);
    for (Index c = 0; c < x.nrhs; ++c) {
      const F* from = low.data + usize(c) * usize(rows);
      std::transform(from, from + rows, x.data + usize(c) * usize(x.ld),
                     [s = size(c)](const F& v) { return static_cast<T>(v) * s; });
    }
    scale_rows<T>({x.data, x.ld, x.nrhs}, unknown_scale, x);
  }
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::by_factors(Op op) -> Corrections {
  return [this, op](Columns<const T> r, Columns<T> d) { apply(op, r, d); };
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::by_gmres(Op op) -> Corrections {
  return [this, op](Columns<const T> r, Columns<T> d) {
    const Index rows = a_.local_rows();
    const std::vector<T> zero(usize(rows));
    std::vector<T> product(usize(rows));
    const InPlaceProduct<T> multiply = [&](std::span<T> v) {
      a_.residual(op, {v.data(), rows, 1}, {zero.data(), rows, 1}, {product.data(), rows, 1});
      std::transform(product.begin(), product.end(), v.begin(), std::negate<>{});
    };
    const InPlaceProduct<T> precondition = [&](std::span<T> v) {
      apply(op, {v.data(), rows, 1}, {v.data(), rows, 1});
    };
    for (Index c = 0; c < r.nrhs; ++c) {
      const std::span<const T> rc{r.data + usize(c) * usize(r.ld), usize(rows)};
      const auto correction = gmres<T>(a_.comm(), multiply, precondition, rc, gmres_steps, gmres_reduction);
      std::copy(correction.begin(), correction.end(), d.data + usize(c) * usize(d.ld));
    }
  };
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::improve(Op op, Columns<const T> b, Columns<T> x, const Corrections& corrections,
                                    Refined& progress) {
  const std::size_t rows = usize(a_.local_rows());
  const auto ld = static_cast<Index>(rows);
  corrections({residual_.data(), ld, x.nrhs}, {correction_.data(), ld, x.nrhs});
  for (std::size_t c = 0; c < error_.size(); ++c) {
    T* const xc = x.data + c * usize(x.ld);
    std::copy_n(xc, rows, previous_.data() + c * rows);
    std::transform(xc, xc + rows, correction_.data() + c * rows, xc, std::plus<>{});
  }
  const auto corrected = backward_errors(op, b, {x.data, x.ld, x.nrhs});
  double best = 1;
  bool restored = false;
  for (std::size_t c = 0; c < error_.size(); ++c) {
    if (corrected[c] < error_[c]) {  // never from infinity to infinity
      best = std::min(best, std::isfinite(error_[c]) ? corrected[c] / error_[c] : 0);
      error_[c] = corrected[c];
    } else {
      std::copy_n(previous_.data() + c * rows, rows, x.data + c * usize(x.ld));
      restored = true;
    }
  }
  progress.steps += best < 1;
  if (restored) backward_errors(op, b, {x.data, x.ld, x.nrhs});  // for the residuals of what was restored
  progress.backward_error = *std::max_element(error_.begin(), error_.end());
  return best;
}

template <Scalar T, Scalar F>
Refined RefinedSolver<T, F>::solve(Op op, Columns<const T> b, Columns<T> x,
                                   const RefinementOptions& options) {
  constexpr double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  const double target = options.target > 0 ? options.target : epsilon / 2;
  const double acceptable = std::max(target, options.acceptable > 0 ? options.acceptable : 10 * epsilon);
  for (auto* vectors : {&residual_, &correction_, &previous_})
    vectors->resize(usize(a_.local_rows()) * usize(b.nrhs));

  apply(op, b, x);
  error_ = backward_errors(op, b, {x.data, x.ld, x.nrhs});
  Refined progress{.backward_error = *std::max_element(error_.begin(), error_.end())};
  const auto refine = [&](const Corrections& corrections, double goal, double slowest) {
    while (progress.steps < options.max_steps && progress.backward_error > goal) {
      if (improve(op, b, x, corrections, progress) > slowest) break;
    }
  };
  refine(by_factors(op), target, slowest_plain);
  refine(by_gmres(op), acceptable, slowest_gmres);
  return progress;
}

#define INSTANTIATE(T) template class RefinedSolver<T, T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template class RefinedSolver<double, float>;
template class RefinedSolver<std::complex<double>, std::complex<float>>;

}  // namespace trisweep::solve
