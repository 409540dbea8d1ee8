#include "trisweep/solve/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::solve {

template <Scalar T>
RealOf<T> unit_of_range(const mpi::Communicator& comm, std::span<const T> values) {
  using Real = RealOf<T>;
  constexpr int most = std::numeric_limits<Real>::max_exponent, room = most / 8;
  Real largest = 0;
  for (const T& v : values) {
    largest = std::max(largest, std::abs(std::real(v)));
    if constexpr (is_complex<T>) largest = std::max(largest, std::abs(std::imag(v)));
  }
  return comm.max(double(largest)) < std::ldexp(1.0, most - room) ? Real(1) : std::ldexp(Real(1), -room);
}

#define INSTANTIATE(T) template RealOf<T> unit_of_range(const mpi::Communicator&, std::span<const T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
