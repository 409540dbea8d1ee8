#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trisweep/krylov/gmres.hpp"
#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::solve {
namespace {

// A GMRES correction stops here; its outcome is corrected again if need be.
constexpr int gmres_steps = 60;
constexpr double gmres_reduction = 1e-8;
// A step that leaves more than this share of the error is the last of its kind: of the cheap one early,
// because GMRES takes over.
constexpr double slowest_plain = 0.1;
constexpr double slowest_gmres = 0.5;
// Each takes 1 / epsilon off the errors of unknowns that are smaller than others.
constexpr int corrections_in_a_row = 4;
// Below this share of what it would be were all unknowns as large as the largest, an equation's measure says
// little, in units of epsilon: see BackwardError.
constexpr double vanishing = 1e4;

// Calls work(thread, column, begin, end) for every thread's part of every column.
template <class Work>
void for_each_part(Crew& crew, Index rows, Index nrhs, const Work& work) {
  constexpr std::size_t line = 64;
  crew.run([&](int thread) {
    const auto [begin, end] = crew.part(thread, usize(rows), line);
    for (Index c = 0; c < nrhs; ++c) work(thread, usize(c), begin, end);
  });
}

// NaN counts as infinity.
double larger(double largest, double candidate) {
  return candidate <= largest ? largest : std::isnan(candidate) ? HUGE_VAL : candidate;
}

template <Scalar T>
double magnitude_of(const T& v) {
  if constexpr (is_complex<T>) {
    return double(std::abs(v.real())) + double(std::abs(v.imag()));
  } else {
    return std::abs(v);
  }
}

// The largest magnitude, infinity when one is NaN. Several at once, none of which waits for another.
template <Scalar T>
double largest_magnitude(const T* first, const T* last) {
  using R = RealOf<T>;
  constexpr std::size_t lanes = 16;
  std::array<R, lanes> largest{};
  std::array<bool, lanes> finite;
  finite.fill(true);
  const auto look = [&](const T& v, std::size_t lane) {
    const R magnitude = std::abs(v);
    largest[lane] = std::max(largest[lane], magnitude);
    finite[lane] &= magnitude <= std::numeric_limits<R>::max();
  };
  for (; last - first >= std::ptrdiff_t{lanes}; first += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) look(first[lane], lane);
  }
  for (; first != last; ++first) look(*first, 0);
  const bool all = std::all_of(finite.begin(), finite.end(), [](bool f) { return f; });
  return all ? double(*std::max_element(largest.begin(), largest.end()))
             : std::numeric_limits<double>::infinity();
}

// visit(largest, i, c) for every entry on this rank, `largest` being the column's, which it may raise to a
// number or infinity: the outcome over all threads and ranks, by column.
template <class Visit>
std::vector<double> column_maxima(const transport::Team& team, Index rows, Index nrhs, const Visit& visit) {
  const std::size_t columns = usize(nrhs);
  std::vector<double> by_thread(usize(team.crew.size()) * columns);
  for_each_part(team.crew, rows, nrhs, [&](int thread, std::size_t c, std::size_t begin, std::size_t end) {
    visit(by_thread[usize(thread) * columns + c], c, begin, end);
  });
  std::vector<double> maxima(columns);
  for (std::size_t i = 0; i < by_thread.size(); ++i)
    maxima[i % columns] = std::max(maxima[i % columns], by_thread[i]);
  transport::check(MPI_Allreduce(MPI_IN_PLACE, maxima.data(), nrhs, MPI_DOUBLE, MPI_MAX, team.comm.handle()),
                   "MPI_Allreduce");
  return maxima;
}

// The largest magnitude in each column, over all ranks. NaN and infinity come out as infinity.
template <Scalar T>
std::vector<double> column_norms(const transport::Team& team, Vectors<const T> v, Index rows) {
  return column_maxima(team, rows, v.cols,
                       [&](double& largest, std::size_t c, std::size_t begin, std::size_t end) {
                         const T* const column = v.column(static_cast<Index>(c));
                         largest = largest_magnitude(column + begin, column + end);
                       });
}

// The same of v / scale.
template <Scalar T>
std::vector<double> column_norms_over(const transport::Team& team, Vectors<const T> v,
                                      std::span<const double> scale) {
  return column_maxima(team, static_cast<Index>(scale.size()), v.cols,
                       [&](double& largest, std::size_t c, std::size_t begin, std::size_t end) {
                         const T* const column = v.column(static_cast<Index>(c));
                         for (std::size_t i = begin; i < end; ++i)
                           largest = larger(largest, std::abs(column[i]) / scale[i]);
                       });
}

// to(i, c) = make(from(i, c), i, c) for all rows.
template <class From, class To, class Make>
void transform(Crew& crew, Index rows, Vectors<From> from, Vectors<To> to, const Make& make) {
  for_each_part(crew, rows, from.cols, [&](int, std::size_t c, std::size_t begin, std::size_t end) {
    const From* const in = from.column(static_cast<Index>(c));
    To* const out = to.column(static_cast<Index>(c));
    for (std::size_t i = begin; i < end; ++i) out[i] = make(in[i], i, c);
  });
}

}  // namespace

template <Scalar T, Scalar F>
void RefinedSolver<T, F>::prepare(Op op, Index nrhs) {
  solver_.prepare(op, nrhs);
  a_.prepare(op, nrhs);
  if (nrhs > room_) {
    transport::collectively(a_.comm(), [&] {
      const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
      constexpr const char* what = "the vectors of refinement";
      residual_ = zeros<T>(size, what);
      magnitude_ = zeros<R>(size, what);
      corrected_ = zeros<T>(size, what);
      if constexpr (!std::same_as<T, F>) low_ = zeros<F>(size, what);
    });
    room_ = nrhs;
  }
  row_weights(op);
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::row_weights(Op op) -> const RowWeights& {
  const auto known = row_weights_.find(op != Op::none);
  if (known != row_weights_.end()) return known->second;
  const Index rows = a_.local_rows();
  RowWeights weights;
  Buffer<T> c, zero, unused;
  transport::collectively(a_.comm(), [&] {
    constexpr const char* what = "the weights of the equations";
    for (auto* v : {&c, &zero, &unused}) *v = zeros<T>(usize(rows), what);
    for (auto* v : {&weights.plain, &weights.scaled}) *v = zeros<R>(usize(rows), what);
  });
  const auto weigh = [&](Buffer<R>& sums) {
    a_.residual(op, {c.data(), rows, 1}, {zero.data(), rows, 1}, {unused.data(), rows, 1}, solver_.crew(),
                {sums.data(), rows, 1});
  };
  std::fill_n(c.data(), rows, T(1));
  weigh(weights.plain);
  std::ranges::transform(unknown_scale(op), c.data(), [](double s) {
    return T(static_cast<R>(std::min(s, double(std::numeric_limits<R>::max()))));
  });
  weigh(weights.scaled);
  return row_weights_.emplace(op != Op::none, std::move(weights)).first->second;
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::measure(Op op, Vectors<const T> b, Vectors<const T> x) -> std::vector<Measure> {
  const Index rows = a_.local_rows();
  const Vectors<T> r = columns(residual_, b.cols);
  const Vectors<R> magnitude = columns(magnitude_, b.cols);
  a_.residual(op, x, b, r, solver_.crew(), magnitude);
  const transport::Team team{a_.comm(), solver_.crew()};
  const auto norm_x = column_norms(team, x, rows),
             scaled_norm_x = column_norms_over(team, x, unknown_scale(op));
  const RowWeights& weights = row_weights(op);
  constexpr double share = vanishing * std::numeric_limits<R>::epsilon();
  const auto ratio = [](double residual, double scale) {
    return residual == 0 ? 0 : std::isfinite(scale) ? residual / scale : HUGE_VAL;
  };
  const auto strict = column_maxima(
      team, rows, b.cols, [&](double& largest, std::size_t c, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin, at = begin + c * usize(rows); i < end; ++i, ++at)
          largest = larger(largest, ratio(magnitude_of(r.data[at]), magnitude.data[at]));
      });
  // From here on magnitude_ has what an equation of its kind is measured by.
  const auto lenient = column_maxima(
      team, rows, b.cols, [&](double& largest, std::size_t c, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin, at = begin + c * usize(rows); i < end; ++i, ++at) {
          const double typical = std::min(double(weights.plain.data()[i]) * norm_x[c],
                                          double(weights.scaled.data()[i]) * scaled_norm_x[c]);
          if (!(magnitude.data[at] > share * typical)) magnitude.data[at] += static_cast<R>(typical);
          largest = larger(largest, ratio(magnitude_of(r.data[at]), magnitude.data[at]));
        }
      });
  std::vector<Measure> result;
  for (std::size_t c = 0; c < strict.size(); ++c) result.push_back({strict[c], lenient[c]});
  return result;
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::normwise(Op op, Vectors<const T> b, Vectors<const T> x) {
  const Index rows = a_.local_rows();
  const transport::Team team{a_.comm(), solver_.crew()};
  const auto norm_r = column_norms<T>(team, {residual_.data(), rows, b.cols}, rows);
  const auto norm_x = column_norms(team, x, rows), norm_b = column_norms(team, b, rows);
  double error = 0;
  for (std::size_t c = 0; c < norm_r.size(); ++c) {
    if (norm_r[c] > 0) error = larger(error, norm_r[c] / (a_.norm_inf(op) * norm_x[c] + norm_b[c]));
  }
  return error;
}

template <Scalar T, Scalar F>
void RefinedSolver<T, F>::apply(Op op, Vectors<const T> b, Vectors<T> x) {
  if constexpr (std::same_as<T, F>) {
    solver_.solve(op, b, x);
  } else {
    // Scaling in T: A's scale factors, and what they are applied to, need not fit F.
    Crew& crew = solver_.crew();
    const Index rows = a_.local_rows();
    const auto equation_scale = solver_.equation_scale(op);
    const auto of_unknowns = unknown_scale(op);
    const auto scaled = [](const T& v, double s) { return v * static_cast<RealOf<T>>(s); };
    transform(crew, rows, b, x,
              [&](const T& v, std::size_t i, std::size_t) { return scaled(v, equation_scale[i]); });
    auto norm = column_norms<T>({a_.comm(), crew}, x, rows);
    for (double& size : norm) size = size > 0 ? size : 1;
    const Vectors<F> low = columns(low_, b.cols);
    transform(crew, rows, x, low, [&](const T& v, std::size_t, std::size_t c) {
      return static_cast<F>(v / static_cast<RealOf<T>>(norm[c]));
    });
    solver_.solve(op, low, low, false);
    transform(crew, rows, low, x, [&](const F& v, std::size_t i, std::size_t c) {
      return scaled(static_cast<T>(v) * static_cast<RealOf<T>>(norm[c]), of_unknowns[i]);
    });
  }
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::by_factors(Op op) -> Corrections {
  return [this, op](Vectors<const T> r, Vectors<T> d, double) { apply(op, r, d); };
}

// Every equation is divided by what its residual is measured by, so that what GMRES makes small is the
// componentwise error, in whatever units the equations are.
template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::by_gmres(Op op) -> Corrections {
  return [this, op](Vectors<const T> r, Vectors<T> d, double goal) {
    const Index rows = a_.local_rows();
    std::vector<T> zero, product, scaled;
    transport::collectively(a_.comm(), [&] {
      for (auto* v : {&zero, &product, &scaled}) v->resize(usize(rows));
    });
    for (Index c = 0; c < r.cols; ++c) {
      T* const correction = d.data + usize(c) * usize(d.ld);
      std::fill_n(correction, rows, T{});
      if (!(error_[usize(c)].arioli_demmel_duff > goal)) continue;
      const R* const measure = magnitude_.data() + usize(c) * usize(rows);
      const auto unit = [measure](std::size_t i) { return measure[i] > 0 ? measure[i] : R(1); };
      const krylov::InPlaceProduct<T> multiply = [&](std::span<T> v) {
        a_.residual(op, {v.data(), rows, 1}, {zero.data(), rows, 1}, {product.data(), rows, 1},
                    solver_.crew());
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = -product[i] / unit(i);
      };
      const krylov::InPlaceProduct<T> precondition = [&](std::span<T> v) {
        for (std::size_t i = 0; i < v.size(); ++i) v[i] *= unit(i);
        apply(op, {v.data(), rows, 1}, {v.data(), rows, 1});
      };
      for (std::size_t i = 0; i < scaled.size(); ++i)
        scaled[i] = r.data[usize(c) * usize(r.ld) + i] / unit(i);
      const auto found =
          krylov::gmres<T>(a_.comm(), multiply, precondition, scaled, gmres_steps, gmres_reduction);
      std::copy(found.begin(), found.end(), correction);
    }
  };
}

template <Scalar T, Scalar F>
auto RefinedSolver<T, F>::by_factors_repeatedly(Op op, Vectors<const T> b, Vectors<const T> x,
                                                bool zero_the_undetermined) -> Corrections {
  return [=, this](Vectors<const T> r, Vectors<T> d, double) {
    Crew& crew = solver_.crew();
    const Index rows = a_.local_rows();
    Buffer<T> memory;
    transport::collectively(
        a_.comm(), [&] { memory = zeros<T>(usize(rows) * usize(x.cols), "the vectors of refinement"); });
    const Vectors<T> newest = columns(residual_, x.cols), corrected = columns(memory, x.cols);
    const auto entry = [](const auto& v, std::size_t i, std::size_t c) -> auto& {
      return v.data[c * usize(v.ld) + i];
    };
    apply(op, r, d);
    for (int again = 1; again < corrections_in_a_row; ++again) {
      transform(crew, rows, x, corrected,
                [&](const T& v, std::size_t i, std::size_t c) { return v + entry(d, i, c); });
      a_.residual(op, corrected, b, newest, crew);
      apply(op, newest, newest);
      transform(crew, rows, Vectors<const T>(newest), d,
                [&](const T& v, std::size_t i, std::size_t c) { return v + entry(d, i, c); });
    }
    if (!zero_the_undetermined) return;
    transform(crew, rows, x, d, [&](const T& v, std::size_t i, std::size_t c) {
      const bool determined = 2 * std::abs(entry(newest, i, c)) < std::abs(entry(corrected, i, c));
      return determined ? entry(d, i, c) : -v;
    });
  };
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::improve(Op op, Vectors<const T> b, Vectors<T> x, const Corrections& corrections,
                                    double goal, double Measure::*kind) {
  Crew& crew = solver_.crew();
  const Index rows = a_.local_rows();
  const Vectors<T> r = columns(residual_, x.cols), corrected = columns(corrected_, x.cols);
  const Vectors<const T> candidate = corrected;
  corrections(r, corrected, goal);
  transform(crew, rows, candidate, corrected,
            [&](const T& d, std::size_t i, std::size_t c) { return x.data[c * usize(x.ld) + i] + d; });
  const auto error = measure(op, b, candidate);
  double best = 1;
  bool all = true;
  for (std::size_t c = 0; c < error.size(); ++c) {
    const double before = error_[c].*kind, after = error[c].*kind;
    // The larger unknowns may not suffer for the small ones; never from infinity to infinity.
    if (after < before && !(error[c].arioli_demmel_duff > std::max(error_[c].arioli_demmel_duff, goal))) {
      best = std::min(best, std::isfinite(before) ? after / before : 0);
      error_[c] = error[c];
      const Vectors<const T> from = candidate.columns(static_cast<Index>(c), 1);
      const Vectors<T> to = x.columns(static_cast<Index>(c), 1);
      transform(crew, rows, from, to, [](const T& v, std::size_t, std::size_t) { return v; });
    } else {
      all = false;
    }
  }
  steps_ += best < 1;
  if (!all) measure(op, b, x);  // for the residuals of what was not taken
  return best;
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::largest(double Measure::*kind) const {
  double error = 0;
  for (const Measure& e : error_) error = larger(error, e.*kind);
  return error;
}

template <Scalar T, Scalar F>
Refined RefinedSolver<T, F>::solve(Op op, Vectors<const T> b, Vectors<T> x,
                                   const RefinementOptions& options) {
  constexpr double epsilon = std::numeric_limits<R>::epsilon();
  const double target = options.target > 0 ? options.target : epsilon;
  const double acceptable = std::max(target, options.acceptable > 0 ? options.acceptable : 10 * epsilon);
  transport::collectively(a_.comm(), [&] { require_apart<T>(b, x, a_.local_rows()); });
  prepare(op, b.cols);
  apply(op, b, x);
  error_ = measure(op, b, x);
  steps_ = 0;
  const auto refine = [&](const Corrections& corrections, double Measure::*kind, double goal,
                          double slowest) {
    while (steps_ < options.max_steps && largest(kind) > goal) {
      if (improve(op, b, x, corrections, goal, kind) > slowest) break;
    }
  };
  const auto typical = &Measure::arioli_demmel_duff, every = &Measure::componentwise;
  refine(by_factors(op), typical, target, slowest_plain);
  refine(by_gmres(op), typical, acceptable, slowest_gmres);
  for (const bool zero_the_undetermined : {false, true}) {
    if (largest(typical) <= acceptable && largest(every) > acceptable && steps_ < options.max_steps)
      improve(op, b, x, by_factors_repeatedly(op, b, x, zero_the_undetermined), acceptable, every);
  }
  const auto worse = [](const Measure& e, const Measure& f) { return e.componentwise < f.componentwise; };
  return {.error = summary(op, b, x),
          .steps = steps_,
          .worst = static_cast<Index>(std::ranges::max_element(error_, worse) - error_.begin())};
}

template <Scalar T, Scalar F>
BackwardError RefinedSolver<T, F>::summary(Op op, Vectors<const T> b, Vectors<const T> x) {
  return {.componentwise = largest(&Measure::componentwise),
          .arioli_demmel_duff = largest(&Measure::arioli_demmel_duff),
          .normwise = normwise(op, b, x)};
}

template <Scalar T, Scalar F>
BackwardError RefinedSolver<T, F>::backward_error(Op op, Vectors<const T> b, Vectors<const T> x) {
  prepare(op, b.cols);
  error_ = measure(op, b, x);
  return summary(op, b, x);
}

// ||B||_inf = ||B^H||_1 with B = diag(weight) op(A)^-1 diag(magnitude).
template <Scalar T, Scalar F>
double RefinedSolver<T, F>::condition_of(Op op, Index column, std::span<const R> weight) {
  const Index rows = a_.local_rows();
  const std::span<const R> magnitude(magnitude_.data() + usize(column) * usize(rows), usize(rows));
  const auto multiply_by = [](std::span<const R> factors, std::span<T> v) {
    std::ranges::transform(v, factors, v.begin(), std::multiplies<>{});
  };
  const auto solve_by = [&](Op by, std::span<T> v) { apply(by, {v.data(), rows, 1}, {v.data(), rows, 1}); };
  const auto conjugate_all = [](std::span<T> v) {
    std::ranges::transform(v, v.begin(), [](const T& e) { return conjugate(e); });
  };
  const krylov::InPlaceProduct<T> adjoint = [&](std::span<T> v) {
    multiply_by(weight, v);
    if (op == Op::transpose) conjugate_all(v);  // A^-T has the adjoint conj(A)^-1
    solve_by(op == Op::none ? Op::conjugate_transpose : Op::none, v);
    if (op == Op::transpose) conjugate_all(v);
    multiply_by(magnitude, v);
  };
  const krylov::InPlaceProduct<T> product = [&](std::span<T> v) {
    multiply_by(magnitude, v);
    solve_by(op, v);
    multiply_by(weight, v);
  };
  return krylov::estimate_one_norm<T>(a_.comm(), a_.partition(), adjoint, product);
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::condition(Op op, Vectors<const T> x, Index column) {
  std::vector<R> weight;
  transport::collectively(a_.comm(), [&] { weight.resize(usize(a_.local_rows())); });
  const auto norm = column_norms<T>({a_.comm(), solver_.crew()},
                                    {x.data + usize(column) * usize(x.ld), x.ld, 1}, a_.local_rows());
  std::ranges::fill(weight, norm[0] > 0 ? static_cast<R>(1 / norm[0]) : R(0));
  return condition_of(op, column, weight);
}

template <Scalar T, Scalar F>
double RefinedSolver<T, F>::componentwise_condition(Op op, Vectors<const T> x, Index column) {
  std::vector<R> weight;
  transport::collectively(a_.comm(), [&] { weight.resize(usize(a_.local_rows())); });
  const T* const unknown = x.data + usize(column) * usize(x.ld);
  std::transform(unknown, unknown + weight.size(), weight.begin(),
                 [](const T& v) { return v == T{} ? R(0) : R(1) / std::abs(v); });
  return condition_of(op, column, weight);
}

#define INSTANTIATE(T) template class RefinedSolver<T, T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template class RefinedSolver<double, float>;
template class RefinedSolver<std::complex<double>, std::complex<float>>;

}  // namespace trisweep::solve
