#pragma once
// What may stand for the inverse of an H-matrix in a Krylov method.

#include <memory>
#include <span>
#include <string_view>

#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::hmatrix {

// x = M^-1 b, each rank with its rows of the matrix. Collective.
template <Scalar T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void operator()(Vectors<const T> b, Vectors<T> x) = 0;
  // Whether x would be b.
  virtual bool is_identity() const { return false; }
};

// A matrix, and what it was made of.
template <Scalar T>
struct MatrixSource {
  const mpi::ParallelContext& context;
  const IntegralKernel<T>& kernel;
  std::span<const Point> points;
  const HMatrix<T>& matrix;
  const HMatrixOptions& options;
};

template <Scalar T>
struct NamedPreconditioner {
  std::string_view name;
  std::string_view description;
  bool linear;  // the same matrix in each iteration, as recurrences ask for
  std::unique_ptr<Preconditioner<T>> (*make)(const MatrixSource<T>& source);
};
// By the names that users know. `make` is collective, and throws on every rank.
template <Scalar T>
std::span<const NamedPreconditioner<T>> preconditioners();

}  // namespace trisweep::hmatrix
