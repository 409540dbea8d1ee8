#pragma once
// A distributed linear system: analyzed, factored, and solved any number of times, each solution refined and
// judged. Its stages are public too: analysis.hpp, triangular_solver.hpp, refinement.hpp.
//
//   trisweep::Solver<double> solver(MPI_COMM_WORLD, {rows_of_A});
//   const auto answer = solver.solve(b, x);
//   if (!answer.solved()) ...

#include <mpi.h>

#include <memory>
#include <span>

#include "trisweep/core/vectors.hpp"
#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/solve/report.hpp"
#include "trisweep/solve/solver_options.hpp"

namespace trisweep::engine {
class Recorder;       // engine/recorder.hpp
struct SolveProfile;  // engine/profile.hpp
}  // namespace trisweep::engine

namespace trisweep::solve {

// A collective object: every rank of the communicator makes one, calls the same methods in the same order
// with the same op and number of right-hand sides, and destroys it. Errors are thrown on every rank; after
// one in a solve the object is revoked (mpi/fault_state.hpp): it can be destroyed at any time, and nothing
// else.
//
// Rank 0 gathers the matrix to factor it: the factorization is of one process with threads.
template <Scalar T>
class Solver {
 public:
  // Throws Error(usage) when rows are not those of a square matrix, Error(input) when an entry is not finite,
  // Error(numerical) when the matrix is structurally singular, Error(environment) when memory does not
  // suffice.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // Solves op(A) x = b. b, x: this rank's rows, in the order of its rows of A (rows() x nrhs); they must not
  // overlap, and may be in the memory of the solver's device, with `stream` a stream of it. x is always
  // written; the answer tells whether it is accepted. Throws Error(input), naming row and column, when b has
  // an entry that is not finite; the solver stays usable.
  Answer solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none, void* stream = nullptr);
  // Estimated forward error of x, as returned by solve() with this answer, for the right-hand side with the
  // largest backward error. Cost: about thirty sweeps. Unknown when the verdict is singular.
  ForwardError forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op = Op::none);
  // Factors new values of the same pattern, in the order of this rank's entries. Ordering, structure and plan
  // are reused unless pivots require another structure.
  void refactor(std::span<const T> values);

  // Allocates for solves of op with at most `nrhs` right-hand sides, which then allocate nothing (but GMRES).
  void prepare(Op op, Index nrhs);
  // One forward and one backward sweep with the factors, without refinement or verdict.
  void sweep(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Times and traffic of this rank's last sweep. record_in: records further sweeps there; null: stops.
  const engine::SolveProfile& last_sweep() const;
  void record_in(engine::Recorder* recorder);

  // The factorization, its plan and costs.
  const Report& report() const;
  // The row partition, and this rank's number of rows.
  const distribution::RowPartition& partition() const;
  Index rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trisweep::solve

namespace trisweep {

using solve::BlockRows;
using solve::dealt_out;
using solve::Solver;

}  // namespace trisweep
