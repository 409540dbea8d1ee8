#pragma once
// Small random systems for tests, the same on every machine and rank.

#include <map>
#include <random>

#include "support/sparse_rows.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::testing_support {

template <Scalar T>
T random_value(std::mt19937_64& random) {
  const auto real = [&] {
    return static_cast<RealOf<T>>(static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
  };
  if constexpr (is_complex<T>) {
    const auto re = real();
    return {re, real()};
  } else {
    return real();
  }
}

struct RandomMatrix {
  Index n = 20;
  Index per_row = 3;       // off-diagonal entries, about
  bool hermitian = false;  // positive definite then
  std::uint64_t seed = 1;
};

// Diagonally dominant, so that the test's tolerance says something about the solver and not about the matrix.
template <Scalar T>
matrix::Csr<T> random_matrix(const RandomMatrix& options) {
  std::mt19937_64 random(options.seed);
  std::vector<std::map<Index, T>> rows(usize(options.n));
  for (Index e = 0; e < options.n * options.per_row; ++e) {
    const auto i = static_cast<Index>(random() % usize(options.n)),
               j = static_cast<Index>(random() % usize(options.n));
    if (i == j) continue;
    const T value = random_value<T>(random);
    rows[usize(i)][j] = value;
    if (options.hermitian) rows[usize(j)][i] = conjugate(value);
  }
  for (Index i = 0; i < options.n; ++i) {
    RealOf<T> sum = 1;
    for (const auto& [j, value] : rows[usize(i)]) sum += std::abs(value);
    rows[usize(i)][i] = sum;
  }
  return csr_of(rows);
}

template <Scalar T>
std::vector<T> random_vector(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v(size);
  for (T& value : v) value = random_value<T>(random);
  return v;
}

}  // namespace trisweep::testing_support
