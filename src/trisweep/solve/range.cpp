#include "trisweep/solve/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::solve {
namespace {

template <class T, class Visit>
void for_each_part(std::span<const T> values, const Visit& visit) {
  for (const T& v : values) {
    visit(std::abs(std::real(v)));
    if constexpr (is_complex<T>) visit(std::abs(std::imag(v)));
  }
}

}  // namespace

template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values) {
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  constexpr int room = Limits::max_exponent / 8;
  Real largest = 0;
  for_each_part(values, [&](Real part) { largest = std::max(largest, part); });
  if (comm.max(double(largest)) < std::ldexp(1.0, Limits::max_exponent - room)) return 1;
  Real smallest = Limits::max();
  for_each_part(values, [&](Real part) { smallest = part > 0 ? std::min(smallest, part) : smallest; });
  const double exponent = -comm.max(-double(std::ilogb(smallest)));
  return std::ldexp(Real(1),
                    -static_cast<int>(std::clamp(exponent + 1 - Limits::min_exponent, 0.0, double(room))));
}

#define INSTANTIATE(T) template RealOf<T> unit_of_range(const mpi::Communicator&, std::span<const T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
