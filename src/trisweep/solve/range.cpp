#include "trisweep/solve/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::solve {
namespace {

// Number of exponents reserved for sums.
template <class Real>
constexpr int room = std::numeric_limits<Real>::max_exponent / 8;

// Real and imaginary parts.
template <Scalar T>
std::span<const RealOf<T>> parts(std::span<const T> values) {
  return {reinterpret_cast<const RealOf<T>*>(values.data()), values.size() * (is_complex<T> ? 2 : 1)};
}

}  // namespace

// The result is kept in a floating-point number, so that the loop vectorizes.
template <Scalar T>
bool is_within_range(std::span<const T> values) {
  using Real = RealOf<T>;
  const Real bound = std::ldexp(Real(1), std::numeric_limits<Real>::max_exponent - room<Real>);
  Real beyond = 0;
  for (const Real part : parts(values)) beyond = std::abs(part) < bound ? beyond : Real(1);
  return beyond == 0;
}

template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values, bool within) {
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  if (comm.max(within ? 0.0 : 1.0) == 0) return 1;
  Real smallest = Limits::max();
  for (const Real part : parts(values)) {
    if (part != 0) smallest = std::min(smallest, std::abs(part));
  }
  const double exponent = -comm.max(-double(std::ilogb(smallest)));
  return std::ldexp(
      Real(1), -static_cast<int>(std::clamp(exponent + 1 - Limits::min_exponent, 0.0, double(room<Real>))));
}

#define INSTANTIATE(T)                               \
  template bool is_within_range(std::span<const T>); \
  template RealOf<T> unit_of_range(const mpi::Communicator&, std::span<const T>, bool);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
