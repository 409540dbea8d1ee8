#pragma once
// Inner products and norms of the columns of distributed vectors, by all threads of all ranks: one reduction
// for as many as are asked for together. The same whatever the number of threads, and on every rank.
// Collective. A rank that runs out of memory here throws alone: for use inside transport::together.

#include <algorithm>
#include <span>
#include <vector>

#include "trisweep/krylov/entries.hpp"
#include "trisweep/krylov/vector_steps.hpp"

namespace trisweep::krylov {

// x_c^H y_c for every column c of every pair, which have all as many rows and columns: those of the first
// pair, then those of the second, and so on.
template <Scalar T>
std::vector<Sum<T>> inner_products(const transport::Team& team, std::span<const Pair<T>> pairs);

// ||x_c||_2 for every column c.
template <Scalar T>
std::vector<double> norms(const transport::Team& team, Vectors<const T> x);

// max_i |x_ic| for every column c; infinity where an entry is not finite.
template <Scalar T>
std::vector<double> max_norms(const transport::Team& team, Vectors<const T> x);
// max_i |x_ic| / scale_i.
template <Scalar T>
std::vector<double> max_norms_over(const transport::Team& team, Vectors<const T> x,
                                   std::span<const double> scale);

// Whichever is larger; NaN counts as infinity.
double larger(double largest, double candidate);

// visit(largest, c, part) for the parts of all columns c; it may raise `largest` to a number or infinity. The
// largest over all threads and ranks, by column.
template <class Visit>
std::vector<double> column_maxima(const transport::Team& team, Index rows, Index cols, const Visit& visit) {
  const std::size_t columns = usize(cols);
  std::vector<double> by_thread(usize(team.crew.size()) * columns);
  for_each_part(team.crew, rows, std::views::iota(Index{0}, cols), [&](int thread, Index c, Crew::Part part) {
    visit(by_thread[usize(thread) * columns + usize(c)], c, part);
  });
  std::vector<double> maxima(columns);
  for (std::size_t i = 0; i < by_thread.size(); ++i)
    maxima[i % columns] = std::max(maxima[i % columns], by_thread[i]);
  team.comm.max(maxima);
  return maxima;
}

}  // namespace trisweep::krylov
