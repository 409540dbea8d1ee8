#pragma once
// Triangular factors with explicit entries, for those who read or store them; solves use the panels.

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
  std::vector<Index> row_new;     // Pr: which row of L U a row of A is
  std::vector<Index> col_new;     // Pc: which column of L U a column of A is
  std::vector<double> row_scale;  // the diagonal of Dr, powers of two
  std::vector<double> col_scale;  // of Dc
  Index perturbed_pivots = 0;     // zero but for rounding, and replaced in U by larger numbers
};

// From block LDU: each diagonal block is factored as D = P^T L' U' with partial pivoting, and its rows take
// the order of its pivots. Entries that are zero are left out. Cost: two products with every panel. Throws
// std::bad_alloc alone.
template <Scalar T>
ExplicitFactors<T> explicit_factors(const Factorization<T>& factorization);

}  // namespace trisweep::solve
