#pragma once
// An incomplete LU factorization as a preconditioner: M = L U with the pattern of A, and solves with M by
// row-wise triangular solves.

#include "trisweep/sptrsv/row_solver.hpp"

namespace trisweep::sptrsv {

// ILU(0) (Meijerink and van der Vorst 1977; Saad, Iterative Methods, algorithm 10.4): L has ones on its
// diagonal, and (L U)(i, j) = A(i, j) wherever A has an entry.
template <Scalar T>
struct IncompleteFactors {
  matrix::Csr<T> lower;  // without the diagonal
  matrix::Csr<T> upper;  // with it
};

// Returns the factors of `a`. Throws Error(usage) when `a` violates the invariants of Csr, Error(input) when
// it is not square or lacks a diagonal entry, Error(numerical) when a pivot is zero or not finite; all name
// the row.
template <Scalar T>
IncompleteFactors<T> ilu0(const matrix::Csr<T>& a);

// Returns the index of each row's diagonal entry among all entries of `pattern`. Throws as ilu0().
std::vector<Offset> diagonals_of(const matrix::Pattern& pattern);

// Solves with op(M), M = L U, by the threads of one process. M equals A at all entries of a pattern: that of
// A, or a larger one (ilut.hpp).
template <Scalar T>
class IncompleteLu {
 public:
  // On the pattern of the matrix `a`. Throws as ilu0(), and Error(usage) as RowSolver.
  explicit IncompleteLu(const matrix::Csr<T>& a, const RowSolverOptions& options = {})
      : IncompleteLu(a, a.pattern, options) {}
  // The same on a `pattern` of the same size, which must contain all entries of A.
  IncompleteLu(const matrix::Csr<T>& a, matrix::Pattern pattern, const RowSolverOptions& options = {});

  // Factors other `values` of A's pattern, in the order of A's entries. Throws Error(usage) when their number
  // differs, Error(numerical) as ilu0(); the factors are then unchanged.
  void refactor(std::span<const T> values);
  // Analyzes for op and allocates for `nrhs` right-hand sides; solve() calls it when needed. Errors as of
  // ThreadPool::run().
  void prepare(Op op, Index nrhs = 1);
  // x = op(M)^-1 b. b, x: A's rows x nrhs; may be the same memory. Throws Error(usage) when they do not fit.
  void solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // The same as a krylov::LinearOperator: x = M^-1 b.
  void operator()(Vectors<const T> b, Vectors<T> x) { solve(b, x); }

  // Number of entries of L and U together, with one diagonal.
  Offset nonzeros() const { return pattern_.nonzeros(); }
  // The solver with L.
  const RowSolver<T>& lower() const { return lower_; }
  // The solver with U.
  const RowSolver<T>& upper() const { return upper_; }

 private:
  matrix::Pattern pattern_;
  std::vector<Offset> place_;  // index in `pattern_` of each entry of A
  RowSolver<T> lower_, upper_;
};

}  // namespace trisweep::sptrsv
