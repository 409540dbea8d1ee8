#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::solve {
namespace {

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
    const Index rows = a_.local_rows();
    const auto norm = column_norms(a_.comm(), b, rows);
    low_.resize(usize(rows) * usize(b.nrhs));
    const Columns<F> low{low_.data(), rows, b.nrhs};
    const auto scale = [&](Index c) {
      return norm[usize(c)] > 0 ? static_cast<RealOf<T>>(norm[usize(c)]) : 1;
    };
    for (Index c = 0; c < b.nrhs; ++c) {
      const T* from = b.data + usize(c) * usize(b.ld);
      std::transform(from, from + rows, low.data + usize(c) * usize(rows),
                     [s = scale(c)](const T& v) { return static_cast<F>(v / s); });
    }
    solver_.solve(op, {low.data, low.ld, low.nrhs}, low);
    for (Index c = 0; c < b.nrhs; ++c) {
      const F* from = low.data + usize(c) * usize(rows);
      std::transform(from, from + rows, x.data + usize(c) * usize(x.ld),
                     [s = scale(c)](const F& v) { return static_cast<T>(v) * s; });
    }
  }
}

template <Scalar T, Scalar F>
void RefinedSolver<T, F>::correct(Op op, Columns<T> x) {
  const Index rows = a_.local_rows();
  previous_.resize(residual_.size());
  apply(op, {residual_.data(), rows, x.nrhs}, {correction_.data(), rows, x.nrhs});
  for (Index c = 0; c < x.nrhs; ++c) {
    T* const xc = x.data + usize(c) * usize(x.ld);
    std::copy_n(xc, rows, previous_.data() + usize(c) * usize(rows));
    std::transform(xc, xc + rows, correction_.data() + usize(c) * usize(rows), xc, std::plus<>{});
  }
}

template <Scalar T, Scalar F>
Refined RefinedSolver<T, F>::solve(Op op, Columns<const T> b, Columns<T> x,
                                   const RefinementOptions& options) {
  const std::size_t rows = usize(a_.local_rows());
  residual_.resize(rows * usize(b.nrhs));
  correction_.resize(residual_.size());
  const double target = options.target > 0 ? options.target : std::numeric_limits<RealOf<T>>::epsilon() / 2;
  const Columns<const T> result{x.data, x.ld, x.nrhs};
  const auto worst = [](const std::vector<double>& e) {
    return e.empty() ? 0 : *std::max_element(e.begin(), e.end());
  };

  apply(op, b, x);
  auto error = backward_errors(op, b, result);
  int steps = 0;
  bool halved = true;
  while (halved && steps < options.max_steps && worst(error) > target) {
    correct(op, x);
    const auto corrected = backward_errors(op, b, result);
    halved = false;
    bool kept = false, restored = false;
    for (std::size_t c = 0; c < error.size(); ++c) {
      halved = halved || corrected[c] <= error[c] / 2;
      if (corrected[c] < error[c]) {
        error[c] = corrected[c];
        kept = true;
      } else {
        std::copy_n(previous_.data() + c * rows, rows, x.data + c * usize(x.ld));
        restored = true;
      }
    }
    steps += kept;
    if (restored && halved) backward_errors(op, b, result);  // the residuals of what was restored
  }
  return {.backward_error = worst(error), .steps = steps};
}

#define INSTANTIATE(T) template class RefinedSolver<T, T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template class RefinedSolver<double, float>;
template class RefinedSolver<std::complex<double>, std::complex<float>>;

}  // namespace trisweep::solve
