#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <array>
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

// Calls work(thread, column, begin, end) for every thread's part of every column.
template <class Work>
void for_each_part(Crew& crew, Index rows, Index nrhs, const Work& work) {
  constexpr std::size_t line = 64;
  crew.run([&](int thread) {
    const auto [begin, end] = crew.part(thread, usize(rows), line);
    for (Index c = 0; c < nrhs; ++c) work(thread, usize(c), begin, end);
  });
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

// The largest magnitude in each column, over all ranks. NaN and infinity come out as infinity.
template <Scalar T>
std::vector<double> column_norms(const Team& team, Columns<const T> v, Index rows) {
  const std::size_t columns = usize(v.nrhs);
  std::vector<double> by_thread(usize(team.crew.size()) * columns);
  for_each_part(team.crew, rows, v.nrhs, [&](int thread, std::size_t c, std::size_t begin, std::size_t end) {
    const T* const column = v.data + c * usize(v.ld);
    by_thread[usize(thread) * columns + c] = largest_magnitude(column + begin, column + end);
  });
  std::vector<double> norm(columns);
  for (std::size_t i = 0; i < by_thread.size(); ++i)
    norm[i % columns] = std::max(norm[i % columns], by_thread[i]);
  transport::check(MPI_Allreduce(MPI_IN_PLACE, norm.data(), v.nrhs, MPI_DOUBLE, MPI_MAX, team.comm.handle()),
                   "MPI_Allreduce");
  return norm;
}

// to(i, c) = make(from(i, c), i, c) for all rows.
template <class From, class To, class Make>
void transform(Crew& crew, Index rows, Columns<From> from, Columns<To> to, const Make& make) {
  for_each_part(crew, rows, from.nrhs, [&](int, std::size_t c, std::size_t begin, std::size_t end) {
    const From* const in = from.data + c * usize(from.ld);
    To* const out = to.data + c * usize(to.ld);
    for (std::size_t i = begin; i < end; ++i) out[i] = make(in[i], i, c);
  });
}

}  // namespace

template <Scalar T, Scalar F>
void RefinedSolver<T, F>::prepare(Op op, Index nrhs) {
  solver_.prepare(op, nrhs);
  a_.prepare(op, nrhs);
  if (nrhs <= room_) return;
  transport::collectively(a_.comm(), [&] {
    const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
    constexpr const char* what = "the vectors of refinement";
    residual_ = zeros<T>(size, what);
    corrected_ = zeros<T>(size, what);
    if constexpr (!std::same_as<T, F>) low_ = zeros<F>(size, what);
  });
  room_ = nrhs;
}

template <Scalar T, Scalar F>
std::vector<double> RefinedSolver<T, F>::backward_errors(Op op, Columns<const T> b, Columns<const T> x) {
  const Index rows = a_.local_rows();
  const Columns<T> r = columns(residual_, b.nrhs);
  a_.residual(op, x, b, r, solver_.crew());
  const Team team{a_.comm(), solver_.crew()};
  const auto norm_r = column_norms<T>(team, {r.data, r.ld, r.nrhs}, rows);
  const auto norm_x = column_norms(team, x, rows);
  std::vector<double> error(usize(b.nrhs));
  for (std::size_t c = 0; c < error.size(); ++c) {
    const double scale = a_.norm_inf(op) * norm_x[c] + norm_b_[c];
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
    Crew& crew = solver_.crew();
    const Index rows = a_.local_rows();
    const auto equation_scale = solver_.equation_scale(op);
    const auto unknown_scale = solver_.equation_scale(op == Op::none ? Op::transpose : Op::none);
    const auto scaled = [](const T& v, double s) { return v * static_cast<RealOf<T>>(s); };
    transform(crew, rows, b, x,
              [&](const T& v, std::size_t i, std::size_t) { return scaled(v, equation_scale[i]); });
    auto norm = column_norms<T>({a_.comm(), crew}, {x.data, x.ld, x.nrhs}, rows);
    for (double& size : norm) size = size > 0 ? size : 1;
    const Columns<F> low = columns(low_, b.nrhs);
    transform(crew, rows, x, low, [&](const T& v, std::size_t, std::size_t c) {
      return static_cast<F>(v / static_cast<RealOf<T>>(norm[c]));
    });
    solver_.solve(op, {low.data, low.ld, low.nrhs}, low, false);
    transform(crew, rows, low, x, [&](const F& v, std::size_t i, std::size_t c) {
      return scaled(static_cast<T>(v) * static_cast<RealOf<T>>(norm[c]), unknown_scale[i]);
    });
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
      a_.residual(op, {v.data(), rows, 1}, {zero.data(), rows, 1}, {product.data(), rows, 1}, solver_.crew());
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
  Crew& crew = solver_.crew();
  const Index rows = a_.local_rows();
  const Columns<T> r = columns(residual_, x.nrhs), corrected = columns(corrected_, x.nrhs);
  const Columns<const T> candidate{corrected.data, rows, x.nrhs};
  corrections({r.data, rows, x.nrhs}, corrected);
  transform(crew, rows, candidate, corrected,
            [&](const T& d, std::size_t i, std::size_t c) { return x.data[c * usize(x.ld) + i] + d; });
  const auto error = backward_errors(op, b, candidate);
  double best = 1;
  bool all = true;
  for (std::size_t c = 0; c < error.size(); ++c) {
    if (error[c] < error_[c]) {  // never from infinity to infinity
      best = std::min(best, std::isfinite(error_[c]) ? error[c] / error_[c] : 0);
      error_[c] = error[c];
      const Columns<const T> from{candidate.data + c * usize(rows), rows, 1};
      const Columns<T> to{x.data + c * usize(x.ld), x.ld, 1};
      transform(crew, rows, from, to, [](const T& v, std::size_t, std::size_t) { return v; });
    } else {
      all = false;
    }
  }
  progress.steps += best < 1;
  if (!all) backward_errors(op, b, {x.data, x.ld, x.nrhs});  // for the residuals of what was not taken
  progress.backward_error = *std::max_element(error_.begin(), error_.end());
  return best;
}

template <Scalar T, Scalar F>
Refined RefinedSolver<T, F>::solve(Op op, Columns<const T> b, Columns<T> x,
                                   const RefinementOptions& options) {
  constexpr double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  const double target = options.target > 0 ? options.target : epsilon / 2;
  const double acceptable = std::max(target, options.acceptable > 0 ? options.acceptable : 10 * epsilon);
  transport::collectively(a_.comm(), [&] { require_apart<T>(b, {x.data, x.ld, x.nrhs}, a_.local_rows()); });
  prepare(op, b.nrhs);
  norm_b_ = column_norms<T>({a_.comm(), solver_.crew()}, b, a_.local_rows());

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
