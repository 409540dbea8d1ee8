#include "trisweep/solve/backward_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

// Below this share of what it would be were all unknowns as large as the largest, an equation's measure says
// little, in units of epsilon: see BackwardError.
constexpr double vanishing = 1e4;
template <Scalar T>
constexpr double share = vanishing* std::numeric_limits<RealOf<T>>::epsilon();

template <Scalar T>
double magnitude_of(const T& v) {
  if constexpr (is_complex<T>) {
    return double(std::abs(v.real())) + double(std::abs(v.imag()));
  } else {
    return std::abs(v);
  }
}

// No branches: several at a time.
double ratio(double residual, double scale) {
  const double quotient = residual / scale;
  return residual == 0 ? 0 : scale <= std::numeric_limits<double>::max() ? quotient : HUGE_VAL;
}

}  // namespace

double largest(const std::vector<ColumnError>& errors, double ColumnError::*kind) {
  double error = 0;
  for (const ColumnError& e : errors) error = krylov::larger(error, e.*kind);
  return error;
}

template <Scalar T>
void Residuals<T>::prepare(Op op, Index nrhs) {
  if (nrhs > room_) {
    transport::collectively(a_.comm(), [&] {
      const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
      residual_ = zeros<T>(size, "the residuals");
      magnitude_ = zeros<Real>(size, "the measures of residuals");
    });
    room_ = nrhs;
  }
  const bool transposed = op != Op::none;
  if (!row_weights_.contains(transposed)) row_weights_.emplace(transposed, row_weights(op));
}

template <Scalar T>
auto Residuals<T>::row_weights(Op op) -> RowWeights {
  const Index rows = a_.local_rows();
  RowWeights weights;
  Buffer<T> c, zero, unused;
  transport::collectively(a_.comm(), [&] {
    constexpr const char* what = "the weights of the equations";
    for (auto* v : {&c, &zero, &unused}) *v = zeros<T>(usize(rows), what);
    for (auto* v : {&weights.plain, &weights.scaled}) *v = zeros<Real>(usize(rows), what);
  });
  const auto weigh = [&](Buffer<Real>& sums) {
    a_.residual(op, {c.data(), rows, 1}, {zero.data(), rows, 1}, {unused.data(), rows, 1}, crew_,
                {sums.data(), rows, 1});
  };
  std::fill_n(c.data(), rows, T(1));
  weigh(weights.plain);
  std::ranges::transform(scales_.of_unknowns(op), c.data(), [](double s) {
    return T(static_cast<Real>(std::min(s, double(std::numeric_limits<Real>::max()))));
  });
  weigh(weights.scaled);
  return weights;
}

template <Scalar T>
std::vector<ColumnError> Residuals<T>::measure(Op op, Vectors<const T> b, Vectors<const T> x) {
  const Index rows = a_.local_rows();
  const Vectors<T> r = residual(b.cols);
  const Vectors<Real> magnitude{magnitude_.data(), rows, b.cols};
  a_.residual(op, x, b, r, crew_, magnitude);
  const transport::Team team{a_.comm(), crew_};
  const auto norm_x = krylov::max_norms(team, x),
             scaled_norm_x = krylov::max_norms_over(team, x, scales_.of_unknowns(op));
  const RowWeights& weights = row_weights_.at(op != Op::none);
  const auto found = krylov::column_maxima(team, rows, b.cols, [&](Index c, Crew::Part part) {
    const T* const residual = r.column(c);
    Real* const scale = magnitude.column(c);
    const double norm = norm_x[usize(c)], scaled_norm = scaled_norm_x[usize(c)];
    return krylov::largest_of(part, [&](std::size_t i) {
      const double size = magnitude_of(residual[i]), strict = ratio(size, scale[i]);
      const double typical =
          std::min(double(weights.plain[i]) * norm, double(weights.scaled[i]) * scaled_norm);
      // From here on what an equation of its kind is measured by.
      scale[i] += !(scale[i] > share<T> * typical) ? static_cast<Real>(typical) : Real(0);
      return std::array{strict, ratio(size, scale[i])};
    });
  });
  std::vector<ColumnError> errors;
  for (const auto& [strict, lenient] : found) errors.push_back({strict, lenient});
  return errors;
}

template <Scalar T>
double Residuals<T>::normwise(Op op, Vectors<const T> b, Vectors<const T> x) const {
  const transport::Team team{a_.comm(), crew_};
  return normwise(op, {.r = krylov::max_norms<T>(team, {residual_.data(), a_.local_rows(), b.cols}),
                       .x = krylov::max_norms(team, x),
                       .b = krylov::max_norms(team, b)});
}

template <Scalar T>
double Residuals<T>::normwise(Op op, const Norms& norm) const {
  double error = 0;
  for (std::size_t c = 0; c < norm.r.size(); ++c) {
    if (norm.r[c] > 0) error = krylov::larger(error, norm.r[c] / (a_.norm_inf(op) * norm.x[c] + norm.b[c]));
  }
  return error;
}

template <Scalar T>
device::Measuring<T> Residuals<T>::measuring(Op op, const matrix::Csr<T>& rows) const {
  const RowWeights& weights = row_weights_.at(op != Op::none);
  return {.row_ptr = rows.pattern.row_ptr,
          .col = rows.pattern.col,
          .value = rows.value,
          .conjugate = op == Op::conjugate_transpose,
          .plain = weights.plain.span(),
          .scaled = weights.scaled.span(),
          .unknowns = scales_.of_unknowns(op),
          .vanishing = share<T>,
          .residual = nullptr,
          .magnitude = nullptr};
}

#define INSTANTIATE(T) template class Residuals<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
