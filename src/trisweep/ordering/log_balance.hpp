#pragma once
// Removes the units of measurement from a matrix before anything is chosen by the size of its entries.
//
// Curtis and Reid, "On the automatic scaling of matrices for Gaussian elimination", IMA J. Appl. Math. 10
// (1972): exponents r, c that make sum (log2 |a(i,j)| + r(i) + c(j))^2 over all nonzeros least. They are
// unique up to shifts, so that D1 A D2 gets those of A minus the logarithms of D1 and D2. Found by conjugate
// gradients; the error that a few steps leave is smooth along the graph of A, so neighbours have nearly the
// same units. Cost: two passes over the nonzeros per step. Sequential, deterministic.

#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::ordering {

// log2 |a(i,j)| of the nonzeros of a square matrix, by rows.
struct Logarithms {
  std::vector<Offset> row_ptr;
  std::vector<Index> col;
  std::vector<double> value;

  Index rows() const { return static_cast<Index>(row_ptr.size()) - 1; }
};

template <class Visit>  // visit(row, column, position)
void for_each_entry(const Logarithms& a, const Visit& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Offset p = a.row_ptr[usize(i)]; p < a.row_ptr[usize(i) + 1]; ++p)
      visit(usize(i), usize(a.col[usize(p)]), usize(p));
  }
}

struct Exponents {
  std::vector<double> row;
  std::vector<double> col;
};

// Every row and column must have an entry. Stops after a step that reduces the sum by less than `least_gain`
// squared bits per column: matrices in good units need few steps.
Exponents balance(const Logarithms& a, double least_gain);

}  // namespace trisweep::ordering
