#pragma once
// Inner products and norms of the columns of distributed vectors, by all threads of all ranks, with one
// reduction per call. Results are the same on every rank, and independent of the number of threads.
// Collective. A rank that runs out of memory here throws alone: for use inside mpi::revoke_on_error.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "trisweep/krylov/entries.hpp"
#include "trisweep/krylov/vector_steps.hpp"

namespace trisweep::krylov {

// x_c^H y_c for every column c of every pair: first those of the first pair, then of the second, and so on.
// All pairs have equal numbers of rows and columns.
template <Scalar T>
std::vector<Sum<T>> inner_products(const mpi::ParallelContext& context, std::span<const Pair<T>> pairs);

// ||x_c||_2 for every column c.
template <Scalar T>
std::vector<double> norms(const mpi::ParallelContext& context, Vectors<const T> x);

// max_i |x_ic| for every column c; infinity if an entry is not finite.
template <Scalar T>
std::vector<double> max_norms(const mpi::ParallelContext& context, Vectors<const T> x);
// max_i |x_ic| / scale_i for every column c.
template <Scalar T>
std::vector<double> max_norms_over(const mpi::ParallelContext& context, Vectors<const T> x,
                                   std::span<const double> scale);

// Returns the larger of both; NaN counts as infinity.
double larger(double largest, double candidate);

// Returns the maxima of of(i) >= 0 over a part, for several measures at once; NaN counts as infinity. Works
// in lanes, so that the loop vectorizes.
template <class Of>
auto largest_of(ThreadPool::Part part, const Of& of) {
  using Values = std::invoke_result_t<Of, std::size_t>;
  constexpr std::size_t kinds = std::tuple_size_v<Values>, lanes = 8;
  double largest[kinds][lanes] = {}, spoilt[kinds][lanes] = {};  // spoilt: NaN if a value was not finite
  const auto look = [&](const Values& value, std::size_t lane) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      double& most = largest[kind][lane];
      most = value[kind] > most ? value[kind] : most;
      spoilt[kind][lane] += value[kind] * 0;
    }
  };
  std::size_t i = part.begin;
  for (; i + lanes <= part.end; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) look(of(i + lane), lane);
  }
  for (; i < part.end; ++i) look(of(i), 0);
  Values result{};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      result[kind] = std::max(result[kind], spoilt[kind][lane] == 0 ? largest[kind][lane] : HUGE_VAL);
  }
  return result;
}

// Calls visit(c, part), which returns maxima (finite or infinite), for the parts of all columns c. Returns
// the maxima over all threads and ranks, by column, with one reduction.
template <class Visit>
auto column_maxima(const mpi::ParallelContext& context, Index rows, Index cols, const Visit& visit) {
  using Maxima = std::invoke_result_t<Visit, Index, ThreadPool::Part>;
  constexpr std::size_t kinds = std::tuple_size_v<Maxima>;
  const std::size_t columns = usize(cols);
  std::vector<Maxima> by_thread(usize(context.pool.size()) * columns);
  for_each_part(context.pool, rows, std::views::iota(Index{0}, cols),
                [&](int thread, Index c, ThreadPool::Part part) {
                  by_thread[usize(thread) * columns + usize(c)] = visit(c, part);
                });
  std::vector<double> all(columns * kinds);
  for (std::size_t i = 0; i < by_thread.size(); ++i) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      double& largest = all[i % columns * kinds + kind];
      largest = std::max(largest, by_thread[i][kind]);
    }
  }
  context.comm.max(all);
  std::vector<Maxima> maxima(columns);
  for (std::size_t i = 0; i < all.size(); ++i) maxima[i / kinds][i % kinds] = all[i];
  return maxima;
}

}  // namespace trisweep::krylov
