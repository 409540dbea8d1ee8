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
#include "trisweep/solve/explicit_factors.hpp"
#include "trisweep/solve/report.hpp"
#include "trisweep/solve/solver_options.hpp"
#include "trisweep/solve/sparse_columns.hpp"

namespace trisweep::mpi {
class Communicator;  // mpi/communicator.hpp
}

namespace trisweep::engine {
class Recorder;       // engine/recorder.hpp
struct SolveProfile;  // engine/profile.hpp
}  // namespace trisweep::engine

namespace trisweep::solve {

template <Scalar T>
struct FactorSources;  // solve/factor_source.hpp
template <Scalar T>
struct FactoredSystem;  // solve/factor_source.hpp
struct PlannedSystem;   // of an AnalyzedSystem

// A collective object: every rank of the communicator makes one, calls the same methods in the same order
// with the same op and number of right-hand sides, and destroys it. Errors are thrown on every rank; after
// one in a solve the object is revoked (mpi/fault_state.hpp): it can be destroyed at any time, and nothing
// else. Only where MPI fails in place of the end of a call's last reduction, or in a sweep() of a rank that
// others need no more, these may have left the call with its result, and are refused in the next one. A rank
// makes one call of an object at a time, and another throws Error(usage) meanwhile, on that rank alone:
// several threads, each with an object of its own, do not mind each other where MPI may be called by them all
// (MPI_THREAD_MULTIPLE) and communicators differ.
//
// All ranks factor; before, rank 0 gathers the matrix to order it. (With factors that are given it does not.)
template <Scalar T>
class Solver {
 public:
  // Analyzes and factors the matrix with the `rows` of all ranks. Throws Error(usage) when rows are not those
  // of a square matrix, or options differ among ranks or do not go together; Error(input) when an entry is
  // not finite; Error(numerical) when the matrix is structurally singular; Error(environment) when memory
  // does not suffice, or there is no such device.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options = {});
  // The same, but begins with `factors` of the matrix that were made before: here (root_factors.hpp, or
  // factored_system() of another solver), by another library (lu_source.hpp), or saved in files
  // (storage/factor_file.hpp); in the precision that the options have: full, or `mixed`. The matrix is
  // gathered nowhere, until other values, or a second try, are factored here. Throws Error(usage) also when
  // factors are of another precision or size, and what their source throws.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options, FactorSources<T> factors);
  // The same as a part of an object, whose messages and fault state it shares.
  Solver(const mpi::Communicator& comm, BlockRows<T> rows, const SolverOptions& options = {});
  // The same with an analysis of the same pattern, `analyzed`, which rank 0 has (AnalyzedSystem). Throws
  // Error(usage) also with an engine as SolverOptions::factorization.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options, const PlannedSystem* analyzed);
  ~Solver();
  // Makes destruction local, and throws nothing: for callers that cannot destroy it on all ranks in the same
  // order (garbage collectors): it then frees this rank's memory and never communicates; a window of the
  // one-sided transport stays until later solvers take its communicator, or MPI ends. Not collective; nothing
  // but destruction may follow.
  void destroy_locally() const;
  // What is moved from can be destroyed and assigned to, nothing else.
  Solver(Solver&&) noexcept;
  // Destroys its own as the destructor does: collective.
  Solver& operator=(Solver&&) noexcept;

  // Solves op(A) x = b. b, x: this rank's rows, in the order of its rows of A (rows() x nrhs); they must not
  // overlap, and may be in the memory of the solver's device, with `stream` a stream of it. x is always
  // written; the answer tells whether it is accepted. Throws Error(usage) when b and x are not such, and
  // Error(input), naming row and column, when b has an entry that is not finite; the solver stays usable.
  Answer solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none, void* stream = nullptr);
  // The same for b and x in host memory, faster where few rows of b are not zero: the first forward sweep is
  // pruned (plan/pruning.hpp; Gilbert and Peierls 1988).
  Answer solve_sparse(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Some entries of the solutions of sparse right-hand sides, by sweeps that are pruned both ways. `b`: this
  // rank's rows; `rows`: those of this rank whose entries are wanted, in any order; x: a row for each.
  // Right-hand sides that reach similar panels are solved together, 16 at a time.
  //
  // Without the rest of x it has no residual: x is what the sweeps have made of it. The answer is that of a
  // sample, a dense right-hand side with a known solution, which is solved by unrefined sweeps when new
  // factors are first asked for rows. Where it would have to be corrected, whole solutions are made, refined
  // and judged, and the answer is the worst of these. Throws Error(usage) when b, rows or x do not fit this
  // rank's rows, Error(input) when an entry of b is not finite; the solver stays usable.
  Answer solve_rows(const SparseColumns<T>& b, std::span<const Index> rows, Vectors<T> x, Op op = Op::none);
  // Estimated forward error of x, relative, as returned by solve() with this answer, for the right-hand side
  // with the largest backward error (Skeel 1979). b, x: as solve() had and left them. Cost: about thirty
  // sweeps. Unknown when the verdict is singular. Throws Error(usage) when b and x are not such.
  ForwardError forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op = Op::none);
  // An estimate of the condition number of the scaled matrix in the 1-norm (condition.hpp), and not less than
  // what solves have proved: made with the first answer where that cast doubt (ConditionEstimate), else here,
  // by about ten sweeps. Collective. Throws as solve() does.
  double condition_estimate();
  // Factors new `values` of the same pattern, in the order of this rank's entries. Ordering, structure and
  // plan are reused unless pivots require another structure. Uncompressed or conservative factors that
  // answers to the values before needed are not begun with, unless two in a row did. Throws Error(usage) when
  // they are not as many as the entries, and Error(input) when one is not finite, the object being as before;
  // else as the constructor does, and then there are no factors: all but refactor(), rows() and partition()
  // throw Error(numerical) until one succeeds.
  void refactor(std::span<const T> values) { refactor(values, nullptr); }
  // The same from the analysis `analyzed`, which rank 0 has, whatever the values before required
  // (AnalyzedSystem).
  void refactor(std::span<const T> values, const PlannedSystem* analyzed);

  // L and U by their entries, on rank 0 (others: empty), in the order of the ranks' rows. They are factored
  // once more, in the precision T. Throws as the constructor does.
  ExplicitFactors<T> explicit_factors();
  // The matrix and its factors for another solver to begin with, and for files (storage/factor_file.hpp):
  // factored once more by all ranks, in the precision that the factors have after the last solve. Throws as
  // the constructor does.
  FactoredSystem<T> factored_system();

  // Allocates for solves of op with at most `nrhs` right-hand sides, which then allocate nothing (but GMRES).
  // Throws Error(usage) when ranks differ in op or nrhs, or nrhs is less than 1.
  void prepare(Op op, Index nrhs);
  // One forward and one backward sweep with the factors, without refinement or verdict. b, x: this rank's
  // rows, as of solve(), but they may be the same memory. Throws Error(usage) when they are not such, after
  // which the object is revoked.
  void sweep(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Times and traffic of the last sweep() on this rank, or of all sweeps of the last solve_rows().
  const engine::SolveProfile& last_sweep() const;
  // Records further sweeps by these factors in `recorder`, which outlives them and has room for
  // report().threads; null: stops.
  void record_in(engine::Recorder* recorder);

  // The factorization, its plan and costs.
  const Report& report() const;
  // Which rows each rank has.
  const distribution::RowPartition& partition() const;
  // Of A, b and x on this rank.
  Index rows() const;

 private:
  struct State;
  static std::unique_ptr<State> make(const mpi::Communicator& comm, BlockRows<T> rows,
                                     const SolverOptions& options, FactorSources<T> factors,
                                     const PlannedSystem* analyzed);
  std::unique_ptr<State> state_;
};

}  // namespace trisweep::solve

namespace trisweep {

using solve::BlockRows;
using solve::dealt_out;
using solve::Solver;
using solve::SolverOptions;

}  // namespace trisweep
