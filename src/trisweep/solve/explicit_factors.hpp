#pragma once
// Triangular factors with explicit entries, for inspection or storage; solves use the panels.

#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::solve {

template <Scalar F>
struct Factorization;  // analysis.hpp

// Pr Dr A Dc Pc = L U with L unit lower triangular: entry (i, j) of A, times row_scale[i] * col_scale[j], is
// entry (row_new[i], col_new[j]) of L U.
template <Scalar T>
struct ExplicitFactors {
  matrix::Csr<T> l_transposed;    // L's columns as rows, with its diagonal of ones
  matrix::Csr<T> u;               // by rows
  std::vector<Index> row_new;     // Pr: row i of A is row row_new[i] of L U
  std::vector<Index> col_new;     // Pc: column j of A is column col_new[j] of L U
  std::vector<double> row_scale;  // the diagonal of Dr, powers of two
  std::vector<double> col_scale;  // the diagonal of Dc
  Index perturbed_pivots = 0;     // zero up to rounding, replaced in U by larger values
};

// Computed from the block L D U form: each diagonal block is factored as D = P^T L' U' with partial pivoting,
// and its rows are reordered by P. Zero entries are left out. Cost: two products with every panel. Throws
// only std::bad_alloc.
template <Scalar T>
ExplicitFactors<T> explicit_factors(const Factorization<T>& factorization);

}  // namespace trisweep::solve
