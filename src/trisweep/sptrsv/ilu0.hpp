#pragma once
// An incomplete LU factorization as a preconditioner: M = L U with the pattern of A, and solves with M by
// component-level triangular solves.

#include "trisweep/sptrsv/row_solver.hpp"

namespace trisweep::sptrsv {

// ILU(0) (Meijerink and van der Vorst 1977; Saad, Iterative Methods, algorithm 10.4): L has ones on its
// diagonal, and (L U)(i, j) = A(i, j) wherever A has an entry.
template <Scalar T>
struct IncompleteFactors {
  matrix::Csr<T> lower;  // without the diagonal
  matrix::Csr<T> upper;  // with it
};

// The factors of `a`. Throws Error(usage) where it is not as Csr says, Error(input) where it is not square or
// a diagonal entry is missing, Error(numerical) where a pivot is zero or not finite; all name the row.
template <Scalar T>
IncompleteFactors<T> ilu0(const matrix::Csr<T>& a);

// Where the diagonal entry of each row of `pattern` is, among all entries. Throws as ilu0().
std::vector<Offset> diagonals_of(const matrix::Pattern& pattern);

// x = op(M)^-1 b, by threads of one process, M = L U being equal to A wherever a pattern has entries: the
// pattern of A, or one with more (ilut.hpp).
template <Scalar T>
class IncompleteLu {
 public:
  // On the pattern of the matrix `a`. Throws as ilu0(), and Error(usage) as RowSolver.
  explicit IncompleteLu(const matrix::Csr<T>& a, const RowSolverOptions& options = {})
      : IncompleteLu(a, a.pattern, options) {}
  // The same on a `pattern` of as many rows, which must have all entries of A's.
  IncompleteLu(const matrix::Csr<T>& a, matrix::Pattern pattern, const RowSolverOptions& options = {});

  // Other `values` on the pattern of A, in the order of A's entries. Throws Error(usage) when they are not as
  // many, Error(numerical) as ilu0(); it is as before then.
  void refactor(std::span<const T> values);
  // Analyzes for op and allocates for `nrhs` right-hand sides; solve() does so when needed. Errors
  // as of ThreadPool::run().
  void prepare(Op op, Index nrhs = 1);
  // x = op(M)^-1 b. b, x: A's rows x nrhs; they may be the same memory. Throws Error(usage) when they are not
  // such.
  void solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // The same as a krylov::LinearOperator: x = M^-1 b.
  void operator()(Vectors<const T> b, Vectors<T> x) { solve(b, x); }

  // Of L and U together, with one diagonal.
  Offset nonzeros() const { return pattern_.nonzeros(); }
  // The solver with L.
  const RowSolver<T>& lower() const { return lower_; }
  // The solver with U.
  const RowSolver<T>& upper() const { return upper_; }

 private:
  matrix::Pattern pattern_;
  std::vector<Offset> place_;  // in `pattern_`, of A's entries
  RowSolver<T> lower_, upper_;
};

}  // namespace trisweep::sptrsv
