#pragma once
// Vector operations of a Krylov method on distributed vectors, in host memory, by threads, or in a device's
// memory (device/step_runner.hpp). The operations of a step are data, not code, so that both can run them;
// each column has its own factors. Only inner products are copied to the host.

#include <array>

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/step_runner.hpp"
#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// Sums are in double precision, also for single-precision vectors.
template <Scalar T>
using Sum = std::conditional_t<is_complex<T>, std::complex<double>, double>;
// One factor per column.
template <Scalar T>
using Factors = std::vector<Sum<T>>;

// Two vectors whose columns are multiplied: x^H y.
template <Scalar T>
struct Pair {
  Vectors<const T> x;
  Vectors<const T> y;
};

// An update of a vector, made by the functions below.
template <Scalar T>
struct Update {
  device::Form form;
  Vectors<T> to;
  std::array<Vectors<const T>, 3> from{};
  std::array<Factors<T>, 2> factor{};
  std::vector<RealOf<T>> scale{};  // by column; empty: 1
};

// to = 0.
template <Scalar T>
Update<T> zero(Vectors<T> to) {
  return {device::Form::zero, to};
}
// to = scale a.
template <Scalar T>
Update<T> scaled(Vectors<T> to, std::vector<RealOf<T>> scale, Vectors<const std::type_identity_t<T>> a) {
  return {device::Form::scaled, to, {a}, {}, std::move(scale)};
}
// to = a.
template <Scalar T>
Update<T> copied(Vectors<T> to, Vectors<const std::type_identity_t<T>> a) {
  return scaled(to, {}, a);
}
// to = scale (a + first b).
template <Scalar T>
Update<T> sum(Vectors<T> to, Vectors<const std::type_identity_t<T>> a, const Factors<T>& first,
              Vectors<const std::type_identity_t<T>> b, std::vector<RealOf<T>> scale = {}) {
  return {device::Form::sum, to, {a, b}, {first}, std::move(scale)};
}
// to = a + first b + second c.
template <Scalar T>
Update<T> sums(Vectors<T> to, Vectors<const std::type_identity_t<T>> a, const Factors<T>& first,
               Vectors<const std::type_identity_t<T>> b, const Factors<T>& second,
               Vectors<const std::type_identity_t<T>> c) {
  return {device::Form::sums, to, {a, b, c}, {first, second}};
}
// to = a + first (b + second c).
template <Scalar T>
Update<T> nested(Vectors<T> to, Vectors<const std::type_identity_t<T>> a, const Factors<T>& first,
                 Vectors<const std::type_identity_t<T>> b, const Factors<T>& second,
                 Vectors<const std::type_identity_t<T>> c) {
  return {device::Form::nested, to, {a, b, c}, {first, second}};
}

// Collective, for use inside mpi::revoke_on_error: a rank that runs out of memory here throws alone. Sums are
// bitwise the same on every rank and for any number of threads.
template <Scalar T>
class VectorSteps {
 public:
  // For vectors of `cols` columns and at most `pairs` pairs at a time. Throws as a Buffer does.
  VectorSteps(const mpi::Communicator& comm, device::StepRunner<T>& runner, Index cols, std::size_t pairs);
  ~VectorSteps();
  VectorSteps(const VectorSteps&) = delete;
  VectorSteps& operator=(const VectorSteps&) = delete;

  // Performs the updates of `columns` in order. Not collective.
  void run(std::span<const Index> columns, std::span<const Update<T>> updates) const;
  // The same, then starts the reduction over ranks of inner products of these columns; calls `poll` during
  // the local work.
  void start(std::span<const Index> columns, std::span<const Update<T>> updates,
             std::span<const Pair<T>> pairs, const Poll& poll);
  // Waits for the reduction. Returns x_c^H y_c for every column c of every pair: first those of the first
  // pair, and so on; zero in other columns. Valid until the next start().
  std::span<const Sum<T>> finish();

 private:
  const mpi::Communicator& comm_;
  device::StepRunner<T>& runner_;
  const std::size_t columns_;
  Buffer<Sum<T>> sums_;
  std::size_t products_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace trisweep::krylov
