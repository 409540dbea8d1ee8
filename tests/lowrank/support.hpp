#pragma once
// Blocks as boundary elements have them: a kernel between two clouds of points that are apart.

#include <cmath>
#include <complex>
#include <vector>

#include "support/largest.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

inline double pseudo_random(Index seed, Index i) {
  return unit_interval(split_mix(split_mix(std::uint64_t(seed)) + std::uint64_t(i)));
}

// 1 / r, or exp(i r) / r, between points of the unit cube and points of the cube at distance 1 from it.
template <Scalar T>
std::vector<T> kernel_block(Index rows, Index cols) {
  std::vector<T> block;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      double squared = 0;
      for (Index d = 0; d < 3; ++d) {
        const double between = pseudo_random(1, 3 * i + d) - pseudo_random(2, 3 * j + d) - (d == 0 ? 2 : 0);
        squared += between * between;
      }
      const double r = std::sqrt(squared);
      if constexpr (is_complex<T>) {
        block.push_back(T(std::polar(1 / r, r)));
      } else {
        block.push_back(T(1 / r));
      }
    }
  }
  return block;
}

template <Scalar T>
numeric::View<const T> view_of(const std::vector<T>& block, Index rows) {
  return {block.data(), rows, static_cast<Index>(block.size() / usize(rows)), rows};
}

template <Scalar T>
double norm_of(const std::vector<T>& x) {
  double sum = 0;
  for (const T& value : x) sum += double(std::norm(value));
  return std::sqrt(sum);
}

// ||a - b||_F; infinite when an entry is not a number.
template <Scalar T>
double distance(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> difference;
  for (std::size_t i = 0; i < a.size(); ++i) difference.push_back(a[i] - b[i]);
  const double norm = norm_of(difference);
  return a.size() == b.size() && std::isfinite(norm) ? norm : HUGE_VAL;
}

// U V^T.
template <Scalar T>
std::vector<T> expand(const LowRank<T>& block) {
  std::vector<T> dense(usize(block.rows) * usize(block.cols));
  for (Index k = 0; k < block.rank; ++k) {
    for (Index j = 0; j < block.cols; ++j) {
      for (Index i = 0; i < block.rows; ++i)
        dense[usize(i) + usize(j) * usize(block.rows)] += block.u_column(k)[i] * block.v_column(k)[j];
    }
  }
  return dense;
}

}  // namespace trisweep::lowrank
