#pragma once
// Inner products and norms of the columns of distributed vectors, by all threads of all ranks: one reduction
// for as many as are asked for together. The same whatever the number of threads, and on every rank.
// Collective. A rank that runs out of memory here throws alone: for use inside transport::together.

#include <algorithm>
#include <complex>
#include <span>
#include <type_traits>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/krylov/entries.hpp"
#include "trisweep/transport/team.hpp"

namespace trisweep::krylov {

// Sums are of double precision, for single-precision vectors, too.
template <Scalar T>
using Sum = std::conditional_t<is_complex<T>, std::complex<double>, double>;

// Two vectors whose columns are multiplied.
template <Scalar T>
struct Pair {
  Vectors<const T> x;
  Vectors<const T> y;
};

// x_c^H y_c for every column c of every pair, which have all as many rows and columns: those of the first
// pair, then those of the second, and so on.
template <Scalar T>
std::vector<Sum<T>> inner_products(const transport::Team& team, std::span<const Pair<T>> pairs);

// The same while other work is done: each strip of rows is added as soon as it has its numbers, and the
// reduction is waited for at last. Inner products are then bitwise those of inner_products(). `pairs` at most
// at a time; throws as a Buffer does.
template <Scalar T>
class PendingProducts {
 public:
  PendingProducts(const transport::Communicator& comm, Index rows, Index cols, std::size_t pairs);
  ~PendingProducts();
  PendingProducts(const PendingProducts&) = delete;
  PendingProducts& operator=(const PendingProducts&) = delete;

  std::size_t strips() const { return strips_; }
  Crew::Part rows_of(std::size_t strip) const;
  // Of this rank: for each strip once, on any thread.
  void add(std::size_t strip, std::span<const Pair<T>> pairs);
  // After every strip: begins the reduction over ranks of as many pairs as were added.
  void start(std::size_t pairs);
  // Lets its messages move.
  void poll();
  // Column by column, pair after pair.
  std::span<const Sum<T>> finish();

 private:
  const transport::Communicator& comm_;
  const std::size_t rows_, columns_, length_, strips_;
  std::vector<Sum<T>> by_strip_;
  Buffer<Sum<T>> sums_;
  std::size_t products_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

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
