#pragma once
// Solves op(A) x = b with a sparse triangular A without supernodes (incomplete factors, graphs, another
// library's L), with the threads of one process.

#include <map>
#include <memory>

#include "trisweep/core/vectors.hpp"
#include "trisweep/sptrsv/choice.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::sptrsv {

// Minimum number of bytes that a solve with the entries of `a` and one right-hand side reads and writes.
template <Scalar T>
std::size_t bytes_of_solve(const matrix::Csr<T>& a) noexcept {
  return a.value.size() * (sizeof(T) + sizeof(Index)) + usize(a.rows()) * (2 * sizeof(Index) + 2 * sizeof(T));
}

template <Scalar T>
class PackedRows;

// Results are bitwise independent of the algorithm and the number of threads.
template <Scalar T>
class RowSolver {
 public:
  // `a`: a square matrix with the triangle that `form` names. Throws Error(usage) for an unknown algorithm,
  // less than one thread, or when `a` violates the invariants of Csr; prepare() checks the triangle.
  RowSolver(matrix::Csr<T> a, Form form, const RowSolverOptions& options = {});
  ~RowSolver();
  // A moved-from solver can only be destroyed or assigned to.
  RowSolver(RowSolver&&) noexcept;
  // The same.
  RowSolver& operator=(RowSolver&&) noexcept;

  // Analyzes for op and allocates for `nrhs` right-hand sides; solve() calls it when needed. Throws as
  // lower_system(): Error(input) when A has an entry on the wrong side or lacks a diagonal entry,
  // Error(numerical) when a diagonal entry is zero or not finite.
  void prepare(Op op, Index nrhs = 1);
  // Solves op(A) x = b. b, x: A's rows x nrhs; they may be the same memory. Throws Error(usage) when they do
  // not fit, and as prepare() if op was not prepared.
  void solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Replaces A's entries by `values`, in the same order; analyses are kept. Throws Error(usage) when their
  // number differs, and as prepare(); the solver is then unchanged.
  void refill(std::span<const T> values);

  // Number of rows of A.
  Index rows() const { return a_.rows(); }
  // The algorithm chosen for a prepared op; otherwise throws std::out_of_range.
  const Choice& choice(Op op) const;

 private:
  struct Prepared;
  struct Running;
  const Prepared& prepared(Op op);
  std::vector<PackedRows<T>> packed(const LowerSystem<T>& system, const RowSchedule& schedule);
  void make_room(Index nrhs);
  template <class Solve>
  void run(const Prepared& prepared, const Solve& solve);
  template <int columns>
  Index solve_columns(const Prepared& prepared, Vectors<const T> b, Vectors<T> x);
  Index solve_first(const Prepared& prepared, Vectors<const T> b, Vectors<T> x);

  matrix::Csr<T> a_;
  Form form_;
  RowSolverOptions options_;
  std::map<Op, std::unique_ptr<Prepared>> prepared_;
  std::unique_ptr<Running> running_;
};

}  // namespace trisweep::sptrsv
