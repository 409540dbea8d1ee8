#pragma once
// Preconditioners of H-matrices for Krylov methods.

#include <memory>
#include <span>
#include <string_view>

#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::hmatrix {

// x = M^-1 b, each rank with its rows of b and x. Collective.
template <Scalar T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  // b, x: this rank's rows; they must not overlap. Throws what its parts throw: a solver, or products with
  // the matrix.
  virtual void operator()(Vectors<const T> b, Vectors<T> x) = 0;
  // Whether M is the identity.
  virtual bool is_identity() const { return false; }
};

// A matrix, and what it was made from.
template <Scalar T>
struct MatrixSource {
  const mpi::ParallelContext& context;  // ranks and threads
  const IntegralKernel<T>& kernel;      // its entries
  std::span<const Point> points;        // of rows and columns
  const HMatrix<T>& matrix;             // the H-matrix
  const HMatrixOptions& options;        // that the matrix was made with
};

// A preconditioner by the name that users know.
template <Scalar T>
struct NamedPreconditioner {
  std::string_view name;         // of the command's --preconditioner
  std::string_view description;  // in a few words
  bool linear;                   // M is the same in each iteration, as recurrences require
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
