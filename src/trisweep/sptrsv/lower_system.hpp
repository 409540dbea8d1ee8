#pragma once
// General triangular matrices in the common form in which they are analyzed and solved: with unknowns
// numbered in the order of elimination, op(A) is lower triangular, whichever triangle A has.

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// Which triangle a matrix has; the other one is empty. `unit`: the diagonal is taken as ones; stored diagonal
// entries are ignored.
struct Form {
  bool upper = false;
  bool unit = false;
};

// True if the pattern is square, with entries on at most one side of the diagonal.
bool is_triangular(const matrix::Pattern& pattern);

// Returns the form of a triangular matrix; a diagonal matrix is lower. Throws Error(input) when the matrix is
// not square, or when both triangles have entries, naming one of each.
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

// Throws Error(input) when A has an entry on the wrong side or lacks a diagonal entry, Error(numerical) when
// a diagonal entry is zero or not finite; both name the row.
template <Scalar T>
LowerSystem<T> lower_system(const matrix::Csr<T>& a, Form form, Op op);

}  // namespace trisweep::sptrsv
