#pragma once
// Systems whose pivots are not on the diagonal, whatever is matched to it: exact cancellation leaves zeros
// there. All are regular, and any partial pivoting solves them, but for wilkinson(). The same on every
// machine and rank.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::testing_support {

using SparseRows = std::vector<std::map<Index, double>>;

// Complex: rows and columns times powers of i, which changes no pivot's size.
template <Scalar T>
matrix::Csr<T> with_phases(const SparseRows& rows) {
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = static_cast<Index>(rows.size());
  for (Index i = 0; i < a.rows(); ++i) {
    for (const auto& [j, value] : rows[usize(i)]) {
      if (value == 0) continue;
      a.pattern.col.push_back(j);
      T entry = T(RealOf<T>(value));
      if constexpr (is_complex<T>) {
        const Index quarter_turns = (3 * i + j) % 4;
        if (quarter_turns % 2 == 1) entry = T(0, std::real(entry));
        if (quarter_turns >= 2) entry = -entry;
      }
      a.value.push_back(entry);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

inline std::vector<Index> shuffled(Index n, std::mt19937_64& random) {
  std::vector<Index> p(usize(n));
  std::iota(p.begin(), p.end(), 0);
  for (Index i = n - 1; i > 0; --i) std::swap(p[usize(i)], p[random() % usize(i + 1)]);
  return p;
}

// After Wilkinson (The Algebraic Eigenvalue Problem, 1965, p. 212): with partial pivoting the last entry
// becomes 2^(n-1), and yet the condition number is about n / 2. Not of integers, whose sums would be exact.
inline SparseRows wilkinson(Index n) {
  SparseRows rows(usize(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) rows[usize(i)][j] = -1;
    rows[usize(i)][i] = 1;
    rows[usize(i)][n - 1] = 1 + 0.01 * std::sin(i);
  }
  return rows;
}

// Like the basis of a linear program: P L U Q with L and U sparse unit triangles of -2, -1, 1, 2, of
// `per_row` entries beside the diagonal. Its inverse is an integer matrix, too.
inline SparseRows integer_basis(Index n, Index per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto triangle = [&](bool lower) {
    SparseRows rows(usize(n));
    for (Index i = 0; i < n; ++i) rows[usize(i)][i] = 1;
    for (Index e = 0; e < n * per_row; ++e) {
      const auto i = static_cast<Index>(random() % usize(n)), j = static_cast<Index>(random() % usize(n));
      const double value = random() % 8 == 0 ? 2 : 1;
      if (i != j)
        rows[usize(lower ? std::max(i, j) : std::min(i, j))][lower ? std::min(i, j) : std::max(i, j)] =
            random() % 2 == 0 ? value : -value;
    }
    return rows;
  };
  const SparseRows l = triangle(true), u = triangle(false);
  const std::vector<Index> p = shuffled(n, random), q = shuffled(n, random);
  SparseRows a(usize(n));
  for (Index i = 0; i < n; ++i) {
    for (const auto& [k, left] : l[usize(i)]) {
      for (const auto& [j, right] : u[usize(k)]) a[usize(p[usize(i)])][q[usize(j)]] += left * right;
    }
  }
  return a;
}

// [H B^T; B 0] with H tridiagonal, zero or weak on half of its diagonal, and B of small integers.
inline SparseRows saddle_point(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Index constraints = n / 3;
  SparseRows a(usize(n + constraints));
  for (Index i = 0; i < n; ++i) {
    const std::uint64_t kind = random() % 4;
    if (kind > 0) a[usize(i)][i] = kind == 1 ? 1e-8 : 1;
    if (i > 0) a[usize(i)][i - 1] = a[usize(i - 1)][i] = 0.125;
  }
  for (Index c = 0; c < constraints; ++c) {
    const auto join = [&](Index j, double value) { a[usize(n + c)][j] = a[usize(j)][n + c] = value; };
    join(c, 1);
    for (int e = 0; e < 3; ++e) join(static_cast<Index>(random() % usize(n)), random() % 2 == 0 ? 1 : -2);
  }
  return a;
}

// A permutation and `per_row` entries more in each row, all 1 or -1. Regular with most seeds.
inline SparseRows signs(Index n, Index per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Index> p = shuffled(n, random);
  SparseRows a(usize(n));
  for (Index i = 0; i < n; ++i) {
    a[usize(i)][p[usize(i)]] = 1;
    for (Index e = 0; e < per_row; ++e)
      a[usize(i)][static_cast<Index>(random() % usize(n))] = random() % 2 == 0 ? 1 : -1;
  }
  return a;
}

}  // namespace trisweep::testing_support
