#pragma once
// A system solved by a Krylov method: A is multiplied, and a preconditioner stands for its inverse.
//
// Each rank has consecutive rows of A, those of the rank before first, and of b and x the same rows.

#include <optional>
#include <string>
#include <string_view>

#include "trisweep/krylov/bicgstab.hpp"
#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/sptrsv/ilu0.hpp"

namespace trisweep::solve {

// The factors of A, an incomplete factorization of each rank's diagonal block (block Jacobi), or nothing.
enum class Preconditioning { lu, ilu0, ilut, none };
struct NamedPreconditioner {
  std::string_view name;
  std::string_view description;
  Preconditioning kind;
};
std::span<const NamedPreconditioner> preconditioners();

struct IterativeOptions {
  std::string method = "bicgstab";  // of krylov::methods()
  Preconditioning preconditioning = Preconditioning::lu;
  Op op = Op::none;
  Index nrhs = 1;   // at most so many right-hand sides at a time
  int threads = 1;  // of each rank
  krylov::BicgstabOptions krylov;
  SolverOptions factors;  // of Preconditioning::lu
};

struct IterativeResult {
  krylov::BicgstabResult worst;  // of the right-hand side with the largest residual that has not converged
  int iterations = 0;            // the most of any right-hand side
  BackwardError error;           // the largest
  double seconds = 0;            // of the slowest rank, without those for the error
  // Whether the residual is small, and that of each equation by itself: the 2-norm of a residual is that of
  // the equations in the largest units; of the others at least half of the digits must be there that were
  // asked for.
  bool converged = false;
  bool every_equation = false;

  bool solved() const { return converged && every_equation; }
};

template <Scalar T>
class IterativeSolver {
 public:
  // Collective. Throws as Solver and sptrsv::IncompleteLu do, and Error(usage) for a method that there is
  // not, or rows with numbers.
  IterativeSolver(MPI_Comm comm, BlockRows<T> rows, const IterativeOptions& options);
  IterativeSolver(const IterativeSolver&) = delete;
  IterativeSolver& operator=(const IterativeSolver&) = delete;

  // Improves x, the first guess, until op(A) x = b, for this rank's rows of both. Collective.
  IterativeResult solve(Vectors<const T> b, Vectors<T> x);

  const distribution::RowPartition& partition() const { return matrix_->partition(); }
  // Of the preconditioner, on the slowest rank.
  double setup_seconds() const { return setup_seconds_; }
  Offset incomplete_nonzeros() const { return incomplete_nonzeros_; }  // of all ranks
  // Null unless they are the preconditioner.
  const Solver<T>* factors() const { return preconditioner_.lu ? &*preconditioner_.lu : nullptr; }

 private:
  // Of one kind; the others are not there.
  struct Preconditioner {
    std::optional<Solver<T>> lu;
    std::optional<sptrsv::IncompleteLu<T>> incomplete;
    Op op = Op::none;

    void operator()(Vectors<const T> b, Vectors<T> x);
  };
  struct Product {
    IterativeSolver& solver;
    void operator()(Vectors<const T> x, Vectors<T> y);
  };

  void make_preconditioner(const BlockRows<T>& rows, Index first_row);
  BackwardError error_of(Vectors<const T> b, Vectors<const T> x);

  mpi::Communicator comm_;
  IterativeOptions options_;
  const krylov::NamedMethod<T>* method_ = nullptr;
  std::optional<ThreadPool> pool_;
  Preconditioner preconditioner_;
  std::optional<krylov::DistributedMatrix<T>> matrix_;
  Product product_{*this};
  double setup_seconds_ = 0;
  Offset incomplete_nonzeros_ = 0;
};

}  // namespace trisweep::solve
