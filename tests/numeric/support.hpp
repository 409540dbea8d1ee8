#pragma once
// Small random systems, a symbolic factorization by brute force, and dense arithmetic in double complex: the
// reference that the factorization is compared with.

#include <algorithm>
#include <complex>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "support/largest.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric::testing {

using Complex = std::complex<double>;

struct DenseMatrix {
  Index n;
  std::vector<Complex> value;

  explicit DenseMatrix(Index size) : n(size), value(usize(size) * usize(size)) {}
  Complex& operator()(Index i, Index j) { return value[usize(i) + usize(j) * usize(n)]; }
  const Complex& operator()(Index i, Index j) const { return value[usize(i) + usize(j) * usize(n)]; }
};

inline DenseMatrix identity(Index n) {
  DenseMatrix result(n);
  for (Index i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

// A tridiagonal matrix of blocks [1 2; w 2w] times 4 and -1: every second equation is w times the one before.
inline DenseMatrix half_redundant(Index blocks, double w) {
  DenseMatrix a(2 * blocks);
  for (Index i = 0; i < blocks; ++i)
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, blocks - 1); ++j)
      for (Index r = 0; r < 2; ++r)
        for (Index c = 0; c < 2; ++c)
          a(2 * i + r, 2 * j + c) = (i == j ? 4.0 : -1.0) * (r == 0 ? 1 : w) * (1 + c);
  return a;
}

inline DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix c(a.n);
  for (Index j = 0; j < a.n; ++j)
    for (Index k = 0; k < a.n; ++k)
      for (Index i = 0; i < a.n; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

// Gauss-Jordan with partial pivoting.
inline DenseMatrix inverse(DenseMatrix a) {
  DenseMatrix b = identity(a.n);
  for (Index k = 0; k < a.n; ++k) {
    Index p = k;
    for (Index i = k; i < a.n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
    const Complex pivot = a(p, k);
    for (Index j = 0; j < a.n; ++j) {
      std::swap(a(k, j), a(p, j));
      std::swap(b(k, j), b(p, j));
      a(k, j) /= pivot;
      b(k, j) /= pivot;
    }
    for (Index i = 0; i < a.n; ++i) {
      const Complex factor = a(i, k);
      if (i == k || factor == 0.0) continue;
      for (Index j = 0; j < a.n; ++j) {
        a(i, j) -= factor * a(k, j);
        b(i, j) -= factor * b(k, j);
      }
    }
  }
  return b;
}

inline double max_abs(const DenseMatrix& a) {
  return testing_support::largest_magnitude(a.value);
}

inline double max_difference(const DenseMatrix& a, const DenseMatrix& b) {
  return testing_support::largest_difference(a.value, b.value);
}

template <Scalar T>
DenseMatrix dense(const matrix::Csr<T>& a) {
  DenseMatrix result(a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i))
      result(i, a.pattern.col[usize(e)]) = Complex(a.value[usize(e)]);
  return result;
}

template <Scalar T>
matrix::Csr<T> sparse(const DenseMatrix& a) {
  matrix::Csr<T> result;
  result.pattern.rows = result.pattern.cols = a.n;
  for (Index i = 0; i < a.n; ++i) {
    for (Index j = 0; j < a.n; ++j) {
      if (a(i, j) == 0.0) continue;
      result.pattern.col.push_back(j);
      if constexpr (is_complex<T>) {
        result.value.push_back(T(a(i, j)));
      } else {
        result.value.push_back(T(a(i, j).real()));
      }
    }
    result.pattern.row_ptr.push_back(static_cast<Offset>(result.pattern.col.size()));
  }
  return result;
}

struct RandomMatrix {
  Index n = 30;
  double density = 0.1;
  unsigned seed = 1;
  double diagonal = 4;  // added to it; 0 makes pivots that need exchanges
};

// Unsymmetric, in values and pattern.
template <Scalar T>
matrix::Csr<T> random_matrix(const RandomMatrix& options) {
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<double> entry(-1, 1), chance(0, 1);
  DenseMatrix a(options.n);
  for (Index i = 0; i < options.n; ++i) {
    for (Index j = 0; j < options.n; ++j) {
      const Complex value(entry(random), is_complex<T> ? entry(random) : 0.0);
      if (chance(random) < options.density || i == j) a(i, j) = value + (i == j ? options.diagonal : 0.0);
    }
  }
  return sparse<T>(a);
}

// Hermitian positive definite: diagonally dominant.
template <Scalar T>
matrix::Csr<T> random_definite_matrix(const RandomMatrix& options) {
  DenseMatrix a = dense(random_matrix<T>(options));
  for (Index i = 0; i < a.n; ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = std::conj(a(i, j));
  }
  for (Index i = 0; i < a.n; ++i) {
    double sum = 1;
    for (Index j = 0; j < a.n; ++j) sum += i == j ? 0.0 : std::abs(a(i, j));
    a(i, i) = sum;
  }
  return sparse<T>(a);
}

// Supernodes with the given first columns (and n at the end), whatever explicit zeros that costs.
inline std::shared_ptr<const symbolic::Structure> structure_of(const matrix::Pattern& a,
                                                               std::vector<Index> first) {
  auto s = std::make_shared<symbolic::Structure>();
  s->n = a.rows;
  s->first = std::move(first);
  s->row_ptr = s->block_ptr = {0};
  for (Index k = 0; k < s->supernodes(); ++k)
    s->supernode_of.insert(s->supernode_of.end(), usize(s->width(k)), k);
  std::vector<std::set<Index>> rows(usize(s->supernodes()));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j : a.row(i)) rows[usize(s->supernode_of[usize(std::min(i, j))])].insert(std::max(i, j));
  }
  for (Index k = 0; k < s->supernodes(); ++k) {
    auto& own = rows[usize(k)];
    own.erase(own.begin(), own.lower_bound(s->first[usize(k) + 1]));
    const Index parent = own.empty() ? -1 : s->supernode_of[usize(*own.begin())];
    s->parent.push_back(parent);
    if (parent != -1) rows[usize(parent)].insert(own.begin(), own.end());
    Index r = 0;
    for (Index row : own) {
      const Index in = s->supernode_of[usize(row)];
      const bool same = r > 0 && s->block.back().row_supernode == in;
      if (!same) s->block.push_back({in, r, r});
      s->block.back().end = ++r;
      s->row.push_back(row);
    }
    s->row_ptr.push_back(static_cast<Offset>(s->row.size()));
    s->block_ptr.push_back(static_cast<Offset>(s->block.size()));
    s->whole.push_back(0);
    s->group.push_back(k);
  }
  s->tree = {.levels = 0, .begin = {0, 0}, .end = {0, s->supernodes()}};
  return s;
}

// Supernodes of random widths from 1 to `widest`.
inline std::shared_ptr<const symbolic::Structure> random_structure(const matrix::Pattern& a, Index widest,
                                                                   unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> width(1, widest);
  std::vector<Index> first{0};
  while (first.back() < a.rows) first.push_back(std::min(a.rows, first.back() + width(random)));
  return structure_of(a, first);
}

// The dense L, D^-1 and U that the panels stand for.
struct BlockFactors {
  DenseMatrix l, inverse_d, u;
};

template <Scalar T>
BlockFactors expand(const Factors<T>& f) {
  const symbolic::Structure& s = *f.structure;
  BlockFactors result{identity(s.n), DenseMatrix(s.n), identity(s.n)};
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index w = s.width(k), m = s.height(k), first = s.first[usize(k)];
    for (Index j = 0; j < w; ++j) {
      for (Index i = 0; i < w; ++i)
        result.inverse_d(first + i, first + j) = f.diagonal_block(k)[slab_entry(w, w, i, j)];
      for (Index i = 0; i < m; ++i) {
        const Index row = s.rows(k)[usize(i)];
        const Complex lower = f.lower_panel(k)[slab_entry(m, w, i, j)];
        result.l(row, first + j) = lower;
        result.u(first + j, row) = has_upper(f.kind) ? Complex(f.upper_panel(k)[slab_entry(m, w, i, j)])
                                                     : mirrored(upper_of_lower(f.kind), lower);
      }
    }
  }
  return result;
}

// Where row (column) i of the matrix lies in the factors.
inline Index place(const std::vector<Index>& number, Index i) {
  return number.empty() ? i : number[usize(i)];
}

template <Scalar T>
DenseMatrix reconstruct(const Factors<T>& f) {
  const BlockFactors b = expand(f);
  const DenseMatrix product = b.l * inverse(b.inverse_d) * b.u;
  DenseMatrix a(product.n);
  for (Index i = 0; i < a.n; ++i)
    for (Index j = 0; j < a.n; ++j) a(i, j) = product(place(f.row_new, i), place(f.col_new, j));
  return a;
}

template <Scalar T>
std::vector<T> solve_in_order(const Factors<T>& f, std::vector<T> x);

inline DenseMatrix magnitudes(DenseMatrix a) {
  for (Complex& value : a.value) value = std::abs(value);
  return a;
}

// The largest entry of |L| |D| |D^-1| |D| |U|: of reconstruct() roundings are epsilon times that, whatever
// the growth of the entries and the condition of the diagonal blocks.
template <Scalar T>
double rounded_of(const Factors<T>& f) {
  const BlockFactors b = expand(f);
  const DenseMatrix d = magnitudes(inverse(b.inverse_d));
  return max_abs(magnitudes(b.l) * d * magnitudes(b.inverse_d) * d * magnitudes(b.u));
}

// x with A x = b.
template <Scalar T>
std::vector<T> solve(const Factors<T>& f, const std::vector<T>& b) {
  std::vector<T> placed(b.size()), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) placed[usize(place(f.row_new, static_cast<Index>(i)))] = b[i];
  placed = solve_in_order(f, std::move(placed));
  for (std::size_t j = 0; j < b.size(); ++j) x[j] = placed[usize(place(f.col_new, static_cast<Index>(j)))];
  return x;
}

// By the sweeps that factors.hpp describes.
template <Scalar T>
std::vector<T> solve_in_order(const Factors<T>& f, std::vector<T> x) {
  const symbolic::Structure& s = *f.structure;
  for (Index k = 0; k < s.supernodes(); ++k)
    for (Index j = 0; j < s.width(k); ++j)
      for (Index i = 0; i < s.height(k); ++i)
        x[usize(s.rows(k)[usize(i)])] -=
            f.lower_panel(k)[slab_entry(s.height(k), s.width(k), i, j)] * x[usize(s.first[usize(k)] + j)];
  std::vector<T> z(x.size());
  for (Index k = 0; k < s.supernodes(); ++k)
    for (Index j = 0; j < s.width(k); ++j)
      for (Index i = 0; i < s.width(k); ++i)
        z[usize(s.first[usize(k)] + i)] +=
            f.diagonal_block(k)[slab_entry(s.width(k), s.width(k), i, j)] * x[usize(s.first[usize(k)] + j)];
  for (Index k = s.supernodes() - 1; k >= 0; --k)
    for (Index j = 0; j < s.width(k); ++j)
      for (Index i = 0; i < s.height(k); ++i) {
        const std::size_t at = slab_entry(s.height(k), s.width(k), i, j);
        const T u =
            has_upper(f.kind) ? f.upper_panel(k)[at] : mirrored(upper_of_lower(f.kind), f.lower_panel(k)[at]);
        z[usize(s.first[usize(k)] + j)] -= u * z[usize(s.rows(k)[usize(i)])];
      }
  return z;
}

template <Scalar T>
constexpr double epsilon = std::numeric_limits<RealOf<T>>::epsilon();

}  // namespace trisweep::numeric::testing
