#pragma once
// Answers that are corrected and measured where a device has them: the host hears of the largest quotients of
// all ranks alone, and decides by them.

#include <array>
#include <span>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/measure.hpp"

namespace trisweep::engine {

// Of one right-hand side: what device/measure.hpp finds first, and then.
using Found = std::array<double, usize(device::first_kinds + device::second_kinds)>;

// Of op(A) x = b. Collective; for use inside transport::together.
template <Scalar T>
class Refinement {
 public:
  virtual ~Refinement() = default;

  // x = op(L D U)^-1 b, with at most as many columns as there is room for; this and what follows it in
  // `stream`. Each of these returns what is found of the answer that it makes, by right-hand side: so each
  // waits for the stream. b, where it is in the device's memory, is read there until the next start().
  virtual std::vector<Found> start(Vectors<const T> b, void* stream) = 0;
  // Another answer: x + op(L D U)^-1 r, with the residual r of what was measured last.
  virtual std::vector<Found> correct() = 0;
  // Those columns of x become those of the other answer.
  virtual void take(std::span<const Index> columns) = 0;
  // x, again.
  virtual std::vector<Found> measure() = 0;

  virtual void read(Vectors<T> x) const = 0;
};

}  // namespace trisweep::engine
