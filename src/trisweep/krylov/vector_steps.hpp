#pragma once
// Steps of a Krylov method on distributed vectors, wherever these are: in the host's memory, where threads do
// the work, or in a device's (device/step_runner.hpp). What a step makes of rows is data, not code, so that
// either can run it; columns have factors of their own. Only sums come to the host.

#include <array>

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/step_runner.hpp"
#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// Sums are of double precision, for single-precision vectors, too.
template <Scalar T>
using Sum = std::conditional_t<is_complex<T>, std::complex<double>, double>;
// By column.
template <Scalar T>
using Factors = std::vector<Sum<T>>;

// Two vectors whose columns are multiplied: x^H y.
template <Scalar T>
struct Pair {
  Vectors<const T> x;
  Vectors<const T> y;
};

// What a vector becomes. Made by the functions below.
template <Scalar T>
struct Update {
  device::Form form;
  Vectors<T> to;
  std::array<Vectors<const T>, 3> from{};
  std::array<Factors<T>, 2> factor{};
  std::vector<RealOf<T>> scale{};  // by column; none: 1
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

// Collective, like the methods: a rank that runs out of memory here throws alone, for use inside
// mpi::revoke_on_error. Sums are bitwise the same on any number of threads, and on every rank.
template <Scalar T>
class VectorSteps {
 public:
  // Of vectors of so many columns, with so many pairs at a time at most. Throws as a Buffer does.
  VectorSteps(const mpi::Communicator& comm, device::StepRunner<T>& runner, Index cols, std::size_t pairs);
  ~VectorSteps();
  VectorSteps(const VectorSteps&) = delete;
  VectorSteps& operator=(const VectorSteps&) = delete;

  // Updates `columns`, one vector after the other. Not collective.
  void run(std::span<const Index> columns, std::span<const Update<T>> updates) const;
  // The same, then inner products of these columns, whose reduction over ranks is begun; `poll` is called
  // meanwhile.
  void start(std::span<const Index> columns, std::span<const Update<T>> updates,
             std::span<const Pair<T>> pairs, const Poll& poll);
  // x_c^H y_c for every column c of every pair: those of the first pair, then those of the second, and so on;
  // zero in other columns. Valid until the next start().
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
