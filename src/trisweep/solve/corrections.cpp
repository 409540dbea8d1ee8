#include "trisweep/solve/corrections.hpp"

#include <algorithm>

#include "trisweep/krylov/gmres.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

using krylov::assign;
using krylov::columns_of;
using krylov::in_each_column;

// Each takes 1 / epsilon off the errors of unknowns that are smaller than others.
constexpr int corrections_in_a_row = 4;
// A GMRES correction stops here; its outcome is corrected again if need be.
constexpr krylov::GmresOptions gmres_options{.steps = 60, .reduction = 1e-8};

}  // namespace

template <Scalar T, Scalar F>
void Corrections<T, F>::prepare(Op op, Index nrhs) {
  solver_.prepare(op, nrhs);
  if constexpr (!std::same_as<T, F>) {
    const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
    transport::collectively(a_.comm(), [&] {
      if (low_.size() < size) low_ = zeros<F>(size, "the vectors of refinement");
    });
  }
}

template <Scalar T, Scalar F>
void Corrections<T, F>::by_factors(Op op, Vectors<const T> r, Vectors<T> d) {
  if constexpr (std::same_as<T, F>) {
    solver_.solve(op, r, d);
  } else {
    // Scaling in T: A's scale factors, and what they are applied to, need not fit F.
    Crew& crew = solver_.crew();
    const auto scales = [&](Op by) { return in_each_column(solver_.equation_scale(by), r.cols); };
    const auto scaled = [](Index, const T& v, double s) { return v * static_cast<Real>(s); };
    assign(crew, columns_of(d), d, scaled, r, scales(op));
    auto norm = krylov::max_norms<T>({a_.comm(), crew}, d);
    for (double& size : norm) size = size > 0 ? size : 1;
    const Vectors<F> low{low_.data(), r.rows, r.cols};
    const auto factor = [&](Index c) { return static_cast<Real>(norm[usize(c)]); };
    assign(
        crew, columns_of(d), low, [&](Index c, const T& v) { return static_cast<F>(v / factor(c)); }, d);
    solver_.solve(op, low, low, false);
    assign(
        crew, columns_of(d), d,
        [&](Index c, const F& v, double s) { return scaled(c, static_cast<T>(v) * factor(c), s); }, low,
        scales(op == Op::none ? Op::transpose : Op::none));
  }
}

template <Scalar T, Scalar F>
void Corrections<T, F>::by_gmres(Op op, std::span<const Index> wanted, Vectors<const Real> measure,
                                 Vectors<const T> r, Vectors<T> d) {
  Crew& crew = solver_.crew();
  std::vector<T> memory;
  transport::collectively(a_.comm(), [&] { memory.resize(usize(r.rows) * usize(r.cols)); });
  const Vectors<T> scaled{memory.data(), r.rows, r.cols};
  const auto unit = [](Real size) { return size > 0 ? size : Real(1); };
  const auto over_unit = [&](Index, const T& v, Real size) { return v / unit(size); };
  const auto multiply = [&](Vectors<const T> x, Vectors<T> y) {
    a_.apply(op, x, y, crew);
    assign(crew, columns_of(y), y, over_unit, y, measure);
  };
  const auto precondition = [&](Vectors<const T> x, Vectors<T> y) {
    assign(
        crew, columns_of(y), y, [&](Index, const T& v, Real size) { return v * unit(size); }, x, measure);
    by_factors(op, y, y);
  };
  assign(crew, wanted, scaled, over_unit, r, measure);
  krylov::gmres<T>({a_.comm(), crew}, {multiply, precondition}, scaled, d, gmres_options);
}

template <Scalar T, Scalar F>
void Corrections<T, F>::by_factors_repeatedly(Op op, const Answer& answer, Vectors<T> r, Vectors<T> d,
                                              bool zero_the_undetermined) {
  Crew& crew = solver_.crew();
  const Vectors<const T> x = answer.x;
  Buffer<T> memory;
  transport::collectively(
      a_.comm(), [&] { memory = zeros<T>(usize(x.rows) * usize(x.cols), "the vectors of refinement"); });
  const Vectors<T> corrected{memory.data(), x.rows, x.cols};
  const auto sum = [](Index, const T& v, const T& w) { return v + w; };
  by_factors(op, r, d);
  for (int again = 1; again < corrections_in_a_row; ++again) {
    assign(crew, columns_of(x), corrected, sum, x, d);
    a_.residual(op, corrected, answer.b, r, crew);
    by_factors(op, r, r);
    assign(crew, columns_of(d), d, sum, r, d);
  }
  if (!zero_the_undetermined) return;
  assign(
      crew, columns_of(d), d,
      [](Index, const T& v, const T& newest, const T& all, const T& kept) {
        return 2 * std::abs(newest) < std::abs(kept) ? all : -v;
      },
      x, r, d, corrected);
}

#define INSTANTIATE(T) template class Corrections<T, T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template class Corrections<double, float>;
template class Corrections<std::complex<double>, std::complex<float>>;

}  // namespace trisweep::solve
