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
  // b, x: this rank's rows; they must not overlap. Throws what it is made of throws: a solver, or products
  // with the matrix.
  virtual void operator()(Vectors<const T> b, Vectors<T> x) = 0;
  // Whether x would be b.
  virtual bool is_identity() const { return false; }
};

// A matrix, and what it was made of.
template <Scalar T>
struct MatrixSource {
  const mpi::ParallelContext& context;  // ranks and threads
  const IntegralKernel<T>& kernel;      // its entries
  std::span<const Point> points;        // of rows and columns
  const HMatrix<T>& matrix;             // itself
  const HMatrixOptions& options;        // that it was made with
};

// A preconditioner by the name that users know.
template <Scalar T>
struct NamedPreconditioner {
  std::string_view name;         // of the command's --preconditioner
  std::string_view description;  // in a few words
  bool linear;                   // the same matrix in each iteration, as recurrences ask for
  // Collective; throws on every rank.
  std::unique_ptr<Preconditioner<T>> (*make)(const MatrixSource<T>& source);
};
// LU factors of the tapered near field (near_field_lu.cpp). Collective; throws as solve::Solver does.
template <Scalar T>
std::unique_ptr<Preconditioner<T>> near_field_lu(const MatrixSource<T>& source);

// All of them. Throws nothing.
template <Scalar T>
std::span<const NamedPreconditioner<T>> preconditioners();

}  // namespace trisweep::hmatrix
