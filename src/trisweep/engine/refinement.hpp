#pragma once
// Solutions that are corrected and measured in a device's memory: the host only receives the largest
// quotients over all ranks, and decides by them.

#include <span>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/residual.hpp"

namespace trisweep::engine {

// The largest values over all equations, of one right-hand side (device/residual.hpp).
struct ResidualNorms {
  double quotient = 0;          // |r| / (|op(A)| |x| + |b|)
  double x = 0;                 // |x|
  double scaled_x = 0;          // |x| / c, c the scales of the unknowns
  double r = 0;                 // |r|
  double b = 0;                 // |b|
  double typical_quotient = 0;  // as quotient, with the typical denominator added where its own vanishes
  double small_residual = 0;    // |r| over a typical denominator, where the quotient is not acceptable
};

// Refinement of op(A) x = b. Collective; for use inside mpi::revoke_on_error.
template <Scalar T>
class Refinement {
 public:
  virtual ~Refinement() = default;

  // Computes x = op(L D U)^-1 b, with at most as many columns as there is room for; this and later calls run
  // in `stream`. Each call that computes or measures a solution waits for the stream and returns the norms,
  // by right-hand side. b in the device's memory is read there until the next start().
  virtual std::vector<ResidualNorms> start(Vectors<const T> b, void* stream) = 0;
  // Computes another solution, x + op(L D U)^-1 r, with the residual r of the solution measured last.
  virtual std::vector<ResidualNorms> correct() = 0;
  // Replaces these columns of x by those of the other solution.
  virtual void take(std::span<const Index> columns) = 0;
  // Measures x again.
  virtual std::vector<ResidualNorms> measure() = 0;

  virtual void read(Vectors<T> x) const = 0;
};

}  // namespace trisweep::engine
