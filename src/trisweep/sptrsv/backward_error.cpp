#include "trisweep/sptrsv/backward_error.hpp"

#include <cmath>
#include <limits>

namespace trisweep::sptrsv {

template <Scalar T>
double backward_error(const LowerSystem<T>& system, Vectors<const T> b, Vectors<const T> x) {
  double largest = 0;
  for (Index c = 0; c < x.cols; ++c) {
    for (Index i = 0; i < system.rows(); ++i) {
      const T right = b.column(c)[system.number(i)];
      T rest = right;
      double magnitude = std::abs(right);
      const auto subtract = [&](const T& value, Index j) {
        const T unknown = x.column(c)[system.number(j)];
        rest -= value * unknown;
        magnitude += double(std::abs(value)) * std::abs(unknown);
      };
      for (const Offset e : system.below.entries(i))
        subtract(system.value[usize(e)], system.below.col[usize(e)]);
      subtract(system.diagonal.empty() ? T(1) : system.diagonal[usize(i)], i);
      const double error = rest == T(0) ? 0 : std::abs(rest) / magnitude;
      if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  }
  return largest;
}

#define INSTANTIATE(T) \
  template double backward_error(const LowerSystem<T>&, Vectors<const T>, Vectors<const T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
