#pragma once
// Triangular matrices of every kind, and what solutions with them are judged by.

#include "gallery/gallery.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/sptrsv/ilu0.hpp"

namespace trisweep::testing_support {

// Lower triangular, with up to `per_row` entries left of the diagonal, none further than `band`.
template <Scalar T>
matrix::Csr<T> random_lower(Index n, Index per_row, Index band) {
  std::mt19937_64 random(7);
  std::vector<std::map<Index, T>> rows(usize(n));
  for (Index i = 0; i < n; ++i) {
    for (Index e = 0; e < per_row && i > 0; ++e) {
      const Index far = std::min(i, band);
      rows[usize(i)][i - 1 - static_cast<Index>(random() % usize(far))] =
          random_value<T>(random) * RealOf<T>(0.5) / RealOf<T>(per_row);
    }
    rows[usize(i)][i] = random_value<T>(random) * RealOf<T>(0.2) + RealOf<T>(1);
  }
  return csr_of(rows);
}

template <Scalar T>
matrix::Csr<T> from_gallery(const char* kind, Index n) {
  return matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})));
}

// The L of an ILU(0), its ones stored.
template <Scalar T>
matrix::Csr<T> ilu_lower(const char* kind, Index n) {
  const matrix::Csr<T> strict = sptrsv::ilu0(from_gallery<T>(kind, n)).lower;
  matrix::Csr<T> l;
  l.pattern.rows = l.pattern.cols = strict.rows();
  for (Index i = 0; i < strict.rows(); ++i) {
    for (const Offset e : strict.pattern.entries(i)) {
      l.pattern.col.push_back(strict.pattern.col[usize(e)]);
      l.value.push_back(strict.value[usize(e)]);
    }
    l.pattern.col.push_back(i);
    l.value.push_back(T(1));
    l.pattern.row_ptr.push_back(static_cast<Offset>(l.value.size()));
  }
  return l;
}

// Diagonal, random, banded, a chain, graphs, and an incomplete factor.
template <Scalar T>
std::vector<matrix::Csr<T>> lower_matrices() {
  return {random_lower<T>(1, 0, 1),
          random_lower<T>(500, 0, 1),
          random_lower<T>(400, 3, 400),
          random_lower<T>(1200, 6, 50),
          random_lower<T>(300, 1, 1),
          from_gallery<T>("graph", 1000),
          from_gallery<T>("graph-road", 1000),
          ilu_lower<T>("convection3d", 9)};
}

// What PEs share: graphs, and both factors of an ILU(0) of a cube, one of which has ones on its diagonal.
template <Scalar T>
std::vector<sptrsv::LowerSystem<T>> pe_systems(Index side) {
  const auto factors = sptrsv::ilu0(from_gallery<T>("convection3d", side));
  return {sptrsv::lower_system(from_gallery<T>("graph", side * side * side), {}, Op::none),
          sptrsv::lower_system(from_gallery<T>("graph-road", side * side * side), {}, Op::transpose),
          sptrsv::lower_system(factors.lower, {.unit = true}, Op::conjugate_transpose),
          sptrsv::lower_system(factors.upper, {.upper = true}, Op::none)};
}

// Largest difference between op(A) x and b, in roundings, the diagonal taken as ones when `unit`.
template <Scalar T>
double residual(matrix::Csr<T> a, bool unit, Op op, Vectors<const T> x, Vectors<const T> b) {
  for (Index i = 0; unit && i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i)) {
      if (a.pattern.col[usize(e)] == i) a.value[usize(e)] = T(1);
    }
  }
  Largest largest;
  std::vector<T> product(usize(a.rows()));
  for (Index c = 0; c < x.cols; ++c) {
    matrix::multiply<T>(a, op, std::span(x.column(c), product.size()), product);
    for (std::size_t i = 0; i < product.size(); ++i)
      largest.add(std::abs(product[i] - b.column(c)[i]) / std::numeric_limits<RealOf<T>>::epsilon());
  }
  return largest.value();
}

}  // namespace trisweep::testing_support
