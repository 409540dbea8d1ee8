#pragma once
// Row and column scaling by powers of two, which causes no rounding: the scaled matrix has the digits of the
// given one.

#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

// Entry (i, j) becomes row[i] * a(i, j) * col[j].
struct Scaling {
  std::vector<double> row;
  std::vector<double> col;
};

// The power of two nearest to 2^exponent that is a normal number.
double power_of_two(double exponent);

Scaling unit_scaling(Index n);

// Rows, then columns, so that the largest magnitude of each row and column lies in [0.5, 1). Every row and
// column of `a` has a nonzero.
template <Scalar T>
Scaling equilibrate(const matrix::Csr<T>& a);

// The same factor 1 / sqrt(|a(i,i)|) for row and column i, so that a positive definite matrix gets a diagonal
// in [0.5, 2] and nothing larger. A zero on the diagonal (not positive definite) is replaced by its row's
// largest magnitude.
template <Scalar T>
Scaling equilibrate_symmetrically(const matrix::Csr<T>& a);

}  // namespace trisweep::ordering
