#include "trisweep/solve/corrections.hpp"

#include <algorithm>

#include "trisweep/krylov/gmres.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

using krylov::assign;
using krylov::columns_of;

// Each correction reduces the errors of smaller unknowns by a factor of about 1 / epsilon.
constexpr int corrections_in_a_row = 4;
// Residual reduction of one GMRES correction; its result is corrected again if necessary.
constexpr double gmres_reduction = 1e-8;

}  // namespace

template <Scalar T>
void Corrections<T>::by_gmres(Op op, int steps, std::span<const Index> wanted, Vectors<const Real> measure,
                              Vectors<const T> r, Vectors<T> d) {
  ThreadPool& pool = solver_.pool();
  std::vector<T> memory;
  mpi::agree_on_error(a_.comm(), [&] { memory.resize(usize(r.rows) * usize(r.cols)); });
  const Vectors<T> scaled{memory.data(), r.rows, r.cols};
  const auto unit = [](Real size) { return size > 0 ? size : Real(1); };
  const auto over_unit = [&](Index, const T& v, Real size) { return v / unit(size); };
  const auto multiply = [&](Vectors<const T> x, Vectors<T> y) {
    a_.apply(op, x, y, pool);
    assign(pool, columns_of(y), y, over_unit, y, measure);
  };
  const auto precondition = [&](Vectors<const T> x, Vectors<T> y) {
    assign(
        pool, columns_of(y), y, [&](Index, const T& v, Real size) { return v * unit(size); }, x, measure);
    solver_.solve(op, y, y);
  };
  assign(pool, wanted, scaled, over_unit, r, measure);
  krylov::gmres<T>({a_.comm(), pool}, {multiply, precondition}, scaled, d,
                   {.steps = steps, .reduction = gmres_reduction});
}

template <Scalar T>
void Corrections<T>::by_factors_repeatedly(Op op, const Answer& answer, Vectors<T> r, Vectors<T> d,
                                           bool zero_the_undetermined) {
  ThreadPool& pool = solver_.pool();
  const Vectors<const T> x = answer.x;
  Buffer<T> memory;
  mpi::agree_on_error(a_.comm(),
                      [&] { memory = zeros<T>(usize(x.rows) * usize(x.cols), "the vectors of refinement"); });
  const Vectors<T> corrected{memory.data(), x.rows, x.cols};
  const auto sum = [](Index, const T& v, const T& w) { return v + w; };
  solver_.solve(op, r, d);
  for (int again = 1; again < corrections_in_a_row; ++again) {
    assign(pool, columns_of(x), corrected, sum, x, d);
    a_.residual(op, corrected, answer.b, r, pool);
    solver_.solve(op, r, r);
    assign(pool, columns_of(d), d, sum, r, d);
  }
  if (!zero_the_undetermined) return;
  assign(
      pool, columns_of(d), d,
      [](Index, const T& v, const T& newest, const T& all, const T& kept) {
        return 2 * std::abs(newest) < std::abs(kept) ? all : -v;
      },
      x, r, d, corrected);
}

#define INSTANTIATE(T) template class Corrections<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
