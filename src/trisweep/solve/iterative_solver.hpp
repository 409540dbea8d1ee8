#pragma once
// A linear system solved by a preconditioned Krylov method. Each rank has rows of A, as Solver takes them,
// and the same rows of b and x.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/krylov/options.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {

// The factors of A, an incomplete factorization of each rank's diagonal block (block Jacobi), or none.
enum class Preconditioning { lu, ilu0, ilut, none };
// A preconditioner by the name that users know.
struct NamedPreconditioner {
  std::string_view name;         // of the command's --preconditioner
  std::string_view description;  // in a few words
  Preconditioning kind;          // what it is
};
// All of them. Throws nothing.
std::span<const NamedPreconditioner> preconditioners();

// Of an IterativeSolver; the same on every rank.
struct IterativeOptions {
  std::string method = "bicgstab";                        // of krylov::methods()
  Preconditioning preconditioning = Preconditioning::lu;  // by what
  Op op = Op::none;                                       // A, its transpose or its conjugate transpose
  Index nrhs = 1;                                         // maximum number of right-hand sides of a solve
  int threads = 1;                                        // per rank
  krylov::KrylovOptions krylov;                           // tolerance and iterations, of any method
  SolverOptions factors;                                  // of Preconditioning::lu
};

// Of all right-hand sides of one solve.
struct IterativeResult {
  krylov::KrylovResult worst;  // the unconverged right-hand side with the largest residual
  int iterations = 0;          // maximum over right-hand sides
  BackwardError error;         // maximum over right-hand sides
  double seconds = 0;          // of the slowest rank, without the error measurement
  bool converged = false;      // the 2-norm of the residual is below the tolerance
  // So is, to half the digits of the tolerance, each equation's residual relative to its own terms, which
  // equations in small units need.
  bool every_equation = false;

  // Whether x is accepted.
  bool solved() const { return converged && every_equation; }
};

// A preconditioned Krylov method on the ranks of a communicator, which make it and call it together.
template <Scalar T>
class IterativeSolver {
 public:
  // Collective. `rows`: this rank's. Throws as Solver and sptrsv::IncompleteLu do, and Error(usage) for an
  // unknown method.
  IterativeSolver(MPI_Comm comm, BlockRows<T> rows, const IterativeOptions& options);
  ~IterativeSolver();
  IterativeSolver(const IterativeSolver&) = delete;
  IterativeSolver& operator=(const IterativeSolver&) = delete;

  // Solves op(A) x = b from the initial guess x. b, x: this rank's rows, which must not overlap, at most
  // IterativeOptions::nrhs columns. Collective. Throws Error(usage) when they are not such, after which the
  // object is revoked; that a method does not converge is a result.
  IterativeResult solve(Vectors<const T> b, Vectors<T> x);

  // Which rows each rank has.
  const distribution::RowPartition& partition() const;
  // Setup time of the preconditioner on the slowest rank, in seconds.
  double setup_seconds() const;
  Offset incomplete_nonzeros() const;  // of all ranks
  // Null unless the preconditioner is Preconditioning::lu.
  const Solver<T>* factors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trisweep::solve
