#pragma once
// Triangular matrices for benchmarks of component-level solves.

#include <cmath>

#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/ilu0.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::bench {

// The entries of `a` below the diagonal times scale(row), with a unit diagonal.
template <class Scale>
matrix::Csr<double> unit_triangle(const matrix::Csr<double>& a, const Scale& scale) {
  matrix::Csr<double> l;
  l.pattern.rows = l.pattern.cols = a.rows();
  for (Index i = 0; i < a.rows(); ++i) {
    const double factor = scale(i);
    for (const Offset e : a.pattern.entries(i)) {
      if (a.pattern.col[usize(e)] >= i) continue;
      l.pattern.col.push_back(a.pattern.col[usize(e)]);
      l.value.push_back(a.value[usize(e)] * factor);
    }
    l.pattern.col.push_back(i);
    l.value.push_back(1);
    l.pattern.row_ptr.push_back(static_cast<Offset>(l.value.size()));
  }
  return l;
}

// The off-diagonal magnitudes of each row sum to less than one.
inline matrix::Csr<double> lower_triangle(const matrix::Csr<double>& a) {
  return unit_triangle(a, [&](Index i) {
    double sum = 1;
    for (const Offset e : a.pattern.entries(i)) sum += std::abs(a.value[usize(e)]);
    return 1 / sum;
  });
}

// The matrix, if it is a lower triangle; else the L of its ILU(0), or if that does not exist, its lower
// triangle.
inline matrix::Csr<double> lower_of(const matrix::Csr<double>& a) {
  if (sptrsv::is_triangular(a.pattern) && !sptrsv::form_of(a.pattern).upper) return a;
  try {
    return unit_triangle(sptrsv::ilu0(a).lower, [](Index) { return 1.0; });
  } catch (const Error&) {
    return lower_triangle(a);
  }
}

}  // namespace trisweep::bench
