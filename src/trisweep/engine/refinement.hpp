#pragma once
// Answers that are corrected and measured where a device has them: the host hears of the largest quotients of
// all ranks alone, and decides by them.

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
  double typical_quotient = 0;  // as quotient, by a typical denominator where its own vanishes
  double small_residual = 0;    // |r| over a typical denominator, where the quotient is not acceptable
};

// Of op(A) x = b. Collective; for use inside mpi::revoke_on_error.
template <Scalar T>
class Refinement {
 public:
  virtual ~Refinement() = default;

  // x = op(L D U)^-1 b, with at most as many columns as there is room for; this and what follows it in
  // `stream`. Each of these returns what is found of the answer that it makes, by right-hand side: so each
  // waits for the stream. b, where it is in the device's memory, is read there until the next start().
  virtual std::vector<ResidualNorms> start(Vectors<const T> b, void* stream) = 0;
  // Another answer: x + op(L D U)^-1 r, with the residual r of what was measured last.
  virtual std::vector<ResidualNorms> correct() = 0;
  // Those columns of x become those of the other answer.
  virtual void take(std::span<const Index> columns) = 0;
  // x, again.
  virtual std::vector<ResidualNorms> measure() = 0;

  virtual void read(Vectors<T> x) const = 0;
};

}  // namespace trisweep::engine
