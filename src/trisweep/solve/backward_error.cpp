#include "trisweep/solve/backward_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/krylov/bundle.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

using krylov::ProductRows;

// Ratio of an equation's denominator to its typical value t_i, in units of epsilon, up to which the
// denominator is negligible: see BackwardError.
constexpr double vanishing = 1e4;
template <Scalar T>
constexpr double share = vanishing* std::numeric_limits<RealOf<T>>::epsilon();

// Quotients below a quarter of epsilon are not distinguished, which saves most divisions.
template <Scalar T>
constexpr RealOf<T> negligible = std::numeric_limits<RealOf<T>>::epsilon() / 4;

template <Scalar T>
constexpr std::size_t chunk = krylov::product_lines* usize(kernels::line_rows<T>);

template <Scalar T>
constexpr std::size_t lines_of(Index nrhs) {
  return usize((nrhs + kernels::line_rows<T> - 1) / kernels::line_rows<T>);
}

template <Scalar T>
double magnitude_of(const T& v) {
  if constexpr (is_complex<T>) {
    return double(std::abs(v.real())) + double(std::abs(v.imag()));
  } else {
    return std::abs(v);
  }
}

double ratio(double residual, double scale) {
  if (residual == 0) return 0;
  return scale <= std::numeric_limits<double>::max() ? residual / scale : HUGE_VAL;
}

// Of one equation: |b|_i, (|op(A)| |x| + |b|)_i, and t_i, the typical value of that (see BackwardError).
struct Terms {
  double b, own, typical;
};

// Denominator of Arioli, Demmel and Duff: `own`, plus `typical` if `own` is negligible beside it.
double denominator(double own, double typical, double least_share) {
  return own > least_share * typical ? own : own + typical;
}

}  // namespace

BackwardError largest(std::span<const ColumnError> errors) {
  BackwardError most;
  for (const ColumnError& e : errors) {
    for (const auto kind :
         {&BackwardError::componentwise, &BackwardError::arioli_demmel_duff, &BackwardError::normwise})
      most.*kind = krylov::larger(most.*kind, e.*kind);
  }
  return most;
}

template <Scalar T>
void Residuals<T>::prepare(Op op, Index nrhs) {
  const std::size_t room = usize(pool_.size()) * lines_of<T>(nrhs);
  const bool fits = room <= maxima_.size();
  if (!fits) mpi::agree_on_error(a_.comm(), [&] { maxima_.resize(room); });
  const bool transposed = op != Op::none;
  if (!row_weights_.contains(transposed)) row_weights_.emplace(transposed, row_weights(op));
}

template <Scalar T>
auto Residuals<T>::row_weights(Op op) -> RowWeights {
  const std::size_t rows = usize(a_.local_rows());
  RowWeights weights;
  mpi::agree_on_error(a_.comm(), [&] {
    for (auto* v : {&weights.plain, &weights.scaled, &weights.unknown, &weights.inverse})
      *v = Buffer<Real>(rows, "the weights of the equations");
  });
  const auto bounded = [](double v) {
    return static_cast<Real>(std::min(v, double(std::numeric_limits<Real>::max())));
  };
  const auto scale = scales_.of_unknowns(op);
  std::ranges::transform(scale, weights.unknown.data(), bounded);
  a_.sum_magnitudes(op, weights.unknown.span(), weights.plain.span(), weights.scaled.span(), pool_);
  double most = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double plain = double(weights.plain[i]);
    most = std::max(most, plain);
    weights.inverse[i] = bounded(1 / plain);
    weights.unknown[i] = bounded(1 / scale[i]);
  }
  weights.norm_inf = a_.comm().max(most);
  return weights;
}

template <Scalar T>
template <class V, class W>
std::vector<ResidualNorms> Residuals<T>::norms(Op op, V b, V x, W r) {
  constexpr Index line = kernels::line_rows<T>;
  const std::size_t lines = lines_of<T>(b.cols);
  Maxima least;
  least.quotient.fill(negligible<T>);
  std::fill_n(maxima_.begin(), usize(pool_.size()) * lines, least);
  const RowWeights& weight = weights(op);
  const bool is_alone = krylov::bundle_width<T>(x) == 1;
  a_.visit_product(op, x, true, pool_, [&](int thread, const ProductRows<T>& v) {
    alignas(64) T room[chunk<T>];
    const VectorRows<const T> right = krylov::rows_of(v.columns_of(b), v.rows, v.width, room);
    kernels::measure_residual<T>({.rows = right.rows,
                                  .width = v.width,
                                  .x = v.x,
                                  .x_ld = v.x_ld,
                                  .b = right.data,
                                  .b_ld = right.ld,
                                  .residual = v.product,
                                  .magnitude = v.magnitude,
                                  .unknown = weight.unknown.data() + v.rows.begin,
                                  .weight = weight.inverse.data() + v.rows.begin},
                                 &maxima_[usize(thread) * lines + usize(v.column / line)]);
    if (r.data != nullptr) krylov::from_rows(v.products(), v.rows, v.columns_of(r));
  });
  constexpr std::size_t kinds = 6;
  std::vector<double> all(kinds * usize(b.cols), -HUGE_VAL);
  for (std::size_t i = 0; i < usize(pool_.size()) * lines; ++i) {
    const Maxima& m = maxima_[i];
    const typename Maxima::Lanes* const found[kinds] = {&m.quotient, &m.x, &m.scaled_x,
                                                        &m.residual, &m.b, &m.least};
    for (std::size_t lane = 0; lane < m.x.size(); ++lane) {
      const std::size_t c = is_alone ? 0 : i % lines * usize(line) + lane;
      if (c >= usize(b.cols)) break;
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        const double value = m.spoilt[lane] == 0 ? double((*found[kind])[lane]) : HUGE_VAL;
        all[kinds * c + kind] = std::max(all[kinds * c + kind], value);
      }
    }
  }
  std::vector<ResidualNorms> norms;
  norms.reserve(usize(b.cols));
  a_.comm().max(all);
  for (std::size_t c = 0; c < all.size(); c += kinds) {
    const double quotient = all[c + 3] == 0 ? 0 : all[c];
    const bool may_vanish = !(-all[c + 5] > share<T> * all[c + 1]);
    norms.push_back({{quotient, all[c + 1], all[c + 2], all[c + 3], all[c + 4], quotient}, may_vanish});
  }
  return norms;
}

template <Scalar T>
template <class V, class Visit>
void Residuals<T>::visit_equations(Op op, V b, V x, std::span<const ResidualNorms> norms,
                                   const Visit& visit) {
  const RowWeights& weight = weights(op);
  a_.visit_product(op, x, true, pool_, [&](int thread, const ProductRows<T>& v) {
    alignas(64) T room[chunk<T>];
    const VectorRows<const T> rows = krylov::rows_of(v.columns_of(b), v.rows, v.width, room);
    for (std::size_t i = 0; i < v.rows.end - v.rows.begin; ++i) {
      const std::size_t row = v.rows.begin + i;
      for (Index c = 0; c < v.columns; ++c) {
        const std::size_t at = i * usize(v.width) + usize(c);
        const T right = rows.row(i)[c];
        const ResidualNorms& norm = norms[usize(v.column + c)];
        const double typical =
            std::min(double(weight.plain[row]) * norm.x, double(weight.scaled[row]) * norm.scaled_x);
        visit(thread, v.column + c, row, magnitude_of(right - v.product[at]),
              Terms{.b = magnitude_of(right),
                    .own = double(std::real(v.magnitude[at])) + magnitude_of(right),
                    .typical = typical});
      }
    }
  });
}

template <Scalar T>
template <class V>
void Residuals<T>::measure_typically(Op op, V b, V x, double enough, std::span<ResidualNorms> norms) {
  const double acceptable = std::max(enough, acceptable_error<T>);
  const std::size_t columns = norms.size();
  std::vector<ResidualNorms> found(usize(pool_.size()) * columns);
  visit_equations(op, b, x, norms, [&](int thread, Index c, std::size_t, double size, const Terms& terms) {
    const auto [right, own, typical] = terms;
    ResidualNorms& n = found[usize(thread) * columns + usize(c)];
    const double lenient = ratio(size, denominator(own, typical, share<T>));
    n.typical_quotient = krylov::larger(n.typical_quotient, lenient);
    const double strict = ratio(size, own);
    n.quotient = krylov::larger(n.quotient, strict);
    if (strict > acceptable) {
      const double small = device::is_given(right, own) ? strict : ratio(size, typical);
      n.small_residual = krylov::larger(n.small_residual, small);
    }
    if (!(strict > good_backward_error<T>)) return;
    ++n.small_equations;
    n.small_size = std::max(n.small_size, ratio(own, typical));
  });
  constexpr std::size_t kinds = 4;
  std::vector<double> most(kinds * columns);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t c = i % columns;
    const double values[kinds] = {found[i].typical_quotient, found[i].small_residual, found[i].small_size,
                                  found[i].quotient};
    for (std::size_t kind = 0; kind < kinds; ++kind)
      most[kinds * c + kind] = std::max(most[kinds * c + kind], values[kind]);
    norms[c].small_equations += found[i].small_equations;
  }
  a_.comm().max(most);
  for (std::size_t c = 0; c < columns; ++c) {
    // If a sum of magnitudes overflows, equations that hold exactly still have no error.
    if (std::isinf(norms[c].quotient)) norms[c].quotient = most[kinds * c + 3];
    norms[c].typical_quotient = std::min(most[kinds * c], norms[c].quotient);  // never larger, up to rounding
    norms[c].small_residual = most[kinds * c + 1];
    norms[c].small_size = most[kinds * c + 2];
  }
}

template <Scalar T>
template <class V, class W>
std::vector<ColumnError> Residuals<T>::measure_any(Op op, V b, V x, W r, double enough) {
  std::vector<ColumnError> errors;
  errors.reserve(usize(b.cols));
  std::vector<ResidualNorms> found = norms(op, b, x, r);
  if (std::ranges::any_of(found,
                          [&](const ResidualNorms& n) { return !(n.quotient <= enough) && n.may_vanish; }))
    measure_typically(op, b, x, enough, found);
  for (const ResidualNorms& n : found) errors.push_back(error(op, n));
  return errors;
}

template <Scalar T>
ColumnError Residuals<T>::error(Op op, const ResidualNorms& n) const {
  return {{.componentwise = n.quotient,
           .arioli_demmel_duff = n.typical_quotient,
           // Never larger than the componentwise error, and unknown if a norm overflows.
           .normwise = std::min(n.quotient, ratio(n.r, weights(op).norm_inf * n.x + n.b))},
          {n.small_equations, n.small_size, n.small_residual}};
}

template <Scalar T>
void Residuals<T>::magnitudes(Op op, Vectors<const T> b, Vectors<const T> x, Vectors<Real> magnitude) {
  const mpi::ParallelContext context{a_.comm(), pool_};
  const auto plain = krylov::max_norms(context, x),
             scaled = krylov::max_norms_over(context, x, scales_.of_unknowns(op));
  std::vector<ResidualNorms> norm(plain.size());
  for (std::size_t c = 0; c < plain.size(); ++c) norm[c] = {{.x = plain[c], .scaled_x = scaled[c]}};
  visit_equations(op, b, x, norm, [&](int, Index c, std::size_t row, double, const Terms& terms) {
    magnitude.column(c)[row] = static_cast<Real>(denominator(terms.own, terms.typical, share<T>));
  });
}

template <Scalar T>
device::ResidualSystem<T> Residuals<T>::measuring(Op op, const matrix::Csr<T>& rows) const {
  const RowWeights& weight = weights(op);
  return {.row_ptr = rows.pattern.row_ptr,
          .col = rows.pattern.col,
          .value = rows.value,
          .conjugate = op == Op::conjugate_transpose,
          .plain = weight.plain.span(),
          .scaled = weight.scaled.span(),
          .unknowns = scales_.of_unknowns(op),
          .vanishing = share<T>,
          .acceptable = acceptable_error<T>,
          .residual = nullptr,
          .magnitude = nullptr};
}

#define INSTANTIATE(T)                                                                                      \
  template class Residuals<T>;                                                                              \
  template std::vector<ColumnError> Residuals<T>::measure_any(Op, Vectors<const T>, Vectors<const T>,       \
                                                              Vectors<T>, double);                          \
  template std::vector<ColumnError> Residuals<T>::measure_any(Op, VectorRows<const T>, VectorRows<const T>, \
                                                              VectorRows<T>, double);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
