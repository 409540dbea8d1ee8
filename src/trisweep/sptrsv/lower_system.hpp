#pragma once
// Triangular matrices that need not have any structure, in the one form in which they are analyzed and
// solved: op(A), its unknowns numbered in the order of elimination, is lower triangular, whatever A is.

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// Which triangle a matrix has; the other one is empty. `unit`: its diagonal, if it has any, is taken for
// ones.
struct Form {
  bool upper = false;
  bool unit = false;
};

// Square, with entries on one side of the diagonal at most.
bool is_triangular(const matrix::Pattern& pattern);

// A matrix without entries off the diagonal is lower. Throws Error(input), naming an entry on either side,
// where there are both, and where the matrix is not square.
Form form_of(const matrix::Pattern& pattern);

template <Scalar T>
struct LowerSystem {
  matrix::Pattern below;    // without the diagonal: row i needs the unknowns of its columns, all before i
  std::vector<T> value;     // of `below`
  std::vector<T> diagonal;  // empty: ones
  bool reversed = false;    // unknown i is the caller's n - 1 - i

  Index rows() const { return below.rows; }
  // The caller's number of an unknown.
  Index number(Index i) const { return reversed ? rows() - 1 - i : i; }
};

// Throws Error(input) where A has an entry on the wrong side or a diagonal entry is missing, Error(numerical)
// where one is zero or not finite; both name the row.
template <Scalar T>
LowerSystem<T> lower_system(const matrix::Csr<T>& a, Form form, Op op);

}  // namespace trisweep::sptrsv
