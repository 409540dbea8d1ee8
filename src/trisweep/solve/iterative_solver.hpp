#pragma once
// A linear system solved by a preconditioned Krylov method. Each rank has rows of A, as for Solver, and the
// same rows of b and x.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/krylov/options.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {

// The factors of A, an incomplete factorization of each rank's diagonal block (block Jacobi), or none.
enum class Preconditioning { lu, ilu0, ilut, none };
// A preconditioner and its name.
struct NamedPreconditioner {
  std::string_view name;         // value of the option --preconditioner
  std::string_view description;  // in a few words
  Preconditioning kind;          // the preconditioner of this name
};
// All preconditioners. Throws nothing.
std::span<const NamedPreconditioner> preconditioners();

// Options of an IterativeSolver, the same on every rank.
struct IterativeOptions {
  std::string method = "bicgstab";                        // a name of krylov::methods()
  Preconditioning preconditioning = Preconditioning::lu;  // the preconditioner
  Op op = Op::none;                                       // A, its transpose or its conjugate transpose
  Index nrhs = 1;                                         // maximum number of right-hand sides of a solve
  int threads = 1;                                        // per rank
  krylov::KrylovOptions krylov;                           // tolerance and iterations, of any method
  SolverOptions factors;                                  // of Preconditioning::lu
};

// The result for all right-hand sides of one solve.
struct IterativeResult {
  krylov::KrylovResult worst;  // largest residual; of unconverged right-hand sides, if there are any
  int iterations = 0;          // maximum over right-hand sides
  BackwardError error;         // maximum over right-hand sides
  double seconds = 0;          // of the slowest rank, without the error measurement
  bool converged = false;      // the 2-norm of the residual is below the tolerance
  // The componentwise backward error is at most the square root of the tolerance, which the 2-norm does not
  // ensure for equations in small units.
  bool every_equation = false;

  // Whether x is accepted.
  bool solved() const { return converged && every_equation; }
};

// A preconditioned Krylov method on the ranks of a communicator, a collective object.
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
  // IterativeOptions::nrhs columns. Collective. If they do not fit, throws Error(usage) and revokes the
  // object; a method that does not converge is a result, no error.
  IterativeResult solve(Vectors<const T> b, Vectors<T> x);

  // Which rows each rank has.
  const distribution::RowPartition& partition() const;
  // Setup time of the preconditioner on the slowest rank, in seconds.
  double setup_seconds() const;
  Offset incomplete_nonzeros() const;  // nonzeros of the incomplete factors, over all ranks
  // Null unless the preconditioner is Preconditioning::lu.
  const Solver<T>* factors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trisweep::solve
