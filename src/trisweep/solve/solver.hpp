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
struct PlannedSystem;   // solve/planning.hpp

// A collective object: every rank of the communicator constructs one, calls the same methods in the same
// order with the same op and number of right-hand sides, and destroys it. Errors are thrown on every rank; an
// error in a solve revokes the object (mpi/fault_state.hpp): it can then only be destroyed, at any time.
// Exception: if MPI fails at the very end of a call (in its last reduction, or in a sweep() of a rank that no
// other rank waits for), other ranks may return normally from that call and throw in their next one. A rank
// may have one call to an object in progress; a concurrent second call throws Error(usage) on that rank
// alone. Several threads, each with its own object, can work concurrently if all may call MPI
// (MPI_THREAD_MULTIPLE) and their objects are on different communicators.
//
// All ranks factor the matrix; rank 0 first gathers it to order it, except when factors are given.
template <Scalar T>
class Solver {
 public:
  // Analyzes and factors the matrix with the `rows` of all ranks. Throws Error(usage) when the rows are
  // inconsistent, or options differ among ranks or are incompatible; Error(input) when the matrix is not
  // square or an entry is not finite; Error(numerical) when the matrix is structurally singular;
  // Error(environment) when memory does not suffice, or the device does not exist.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options = {});
  // The same, but starts from existing `factors` of the matrix: made here (root_factors.hpp, or
  // factored_system() of another solver), by another library (lu_source.hpp), or saved in files
  // (storage/factor_file.hpp); in the precision that the options ask for: full, or `mixed`. The matrix is not
  // gathered on any rank before new values, or a second try, are factored here. Throws Error(usage) also when
  // the factors have another precision or size, and what their source throws.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options, FactorSources<T> factors);
  // The same as part of a larger object, whose messages and fault state the solver shares.
  Solver(const mpi::Communicator& comm, BlockRows<T> rows, const SolverOptions& options = {});
  // The same with an analysis of the same pattern, `analyzed`, given on rank 0 (AnalyzedSystem). Throws
  // Error(usage) also if SolverOptions::factorization is set.
  Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options, const PlannedSystem* analyzed);
  ~Solver();
  // Makes destruction local, for callers that cannot destroy solvers in the same order on all ranks (garbage
  // collectors): the destructor then frees this rank's memory and never communicates. A window of the
  // one-sided transport stays until a later solver reuses its communicator, or until MPI_Finalize. Not
  // collective; throws nothing. Only destruction may follow.
  void destroy_locally() const;
  // A moved-from solver can only be destroyed or assigned to.
  Solver(Solver&&) noexcept;
  // Destroys the solver's previous state as the destructor does: collective.
  Solver& operator=(Solver&&) noexcept;

  // Solves op(A) x = b. b, x: this rank's rows, in the order of its rows of A (rows() x nrhs); they must not
  // overlap, and may be in the memory of the solver's device, with `stream` a stream of that device. x is
  // always written; the answer tells whether it is accepted. Throws Error(usage) when b and x do not fit, and
  // Error(input), naming row and column, when b has an entry that is not finite; the solver stays usable.
  Answer solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none, void* stream = nullptr);
  // The same for b and x in host memory, faster if b has few nonzero rows: the first forward sweep is pruned
  // (plan/pruning.hpp; Gilbert and Peierls 1988).
  Answer solve_sparse(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Computes selected entries of the solutions of sparse right-hand sides, by pruned forward and backward
  // sweeps. `b`: this rank's rows; `rows`: the rows of this rank whose entries are wanted, in any order; x:
  // one row for each of them. Right-hand sides that reach similar panels are solved together, 16 at a time.
  //
  // The entries come from unrefined sweeps: without the rest of x there is no residual. The answer is that of
  // a sample, a dense right-hand side with a known solution, solved by unrefined sweeps at the first call
  // with new factors. If the sample would need refinement, whole solutions are computed, refined and judged,
  // and the answer is the worst of theirs. Throws Error(usage) when b, rows or x do not fit this rank's rows,
  // Error(input) when an entry of b is not finite; the solver stays usable.
  Answer solve_rows(const SparseColumns<T>& b, std::span<const Index> rows, Vectors<T> x, Op op = Op::none);
  // Estimated relative forward error of the x that solve() returned with this answer, for the right-hand side
  // with the largest backward error (Skeel 1979). b, x: unchanged since that solve(). Cost: about thirty
  // sweeps. Not estimated when the verdict is singular. Throws Error(usage) when b and x do not fit.
  ForwardError forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op = Op::none);
  // Returns an estimate of the 1-norm condition number of the scaled matrix (condition.hpp), not below the
  // lower bound that solves have proved. Computed with the first answer if that gave reason to
  // (ConditionEstimate), else here, by about ten sweeps. Collective. Throws as solve() does.
  double condition_estimate();
  // Factors new `values` of the same pattern, in the order of this rank's entries. Ordering, structure and
  // plan are reused unless pivots require another structure. A fallback (no compression, conservative
  // pivoting) that the previous values needed is not tried first, unless two value sets in a row needed it.
  // Throws Error(usage) when the number of values differs from that of the entries, and Error(input) when a
  // value is not finite; the solver is then unchanged. Otherwise throws as the constructor does, which leaves
  // no factors: all but refactor(), rows() and partition() throw Error(numerical) until one succeeds.
  void refactor(std::span<const T> values) { refactor(values, nullptr); }
  // The same, starting from the analysis `analyzed`, given on rank 0, whatever the previous values required
  // (AnalyzedSystem).
  void refactor(std::span<const T> values, const PlannedSystem* analyzed);

  // Returns L and U as explicit entries, on rank 0 (others: empty); rows of A are numbered in rank order. The
  // matrix is factored once more, in the precision T. Throws as the constructor does.
  ExplicitFactors<T> explicit_factors();
  // Returns the matrix and its factors, as input for another solver or for files (storage/factor_file.hpp).
  // The matrix is factored once more by all ranks, in the precision of the current factors. Throws as the
  // constructor does.
  FactoredSystem<T> factored_system();

  // Allocates for solves of op with at most `nrhs` right-hand sides; these then allocate only for GMRES.
  // Throws Error(usage) when ranks differ in op or nrhs, or nrhs is less than 1.
  void prepare(Op op, Index nrhs);
  // One forward and one backward sweep with the factors, without refinement or verdict. b, x: this rank's
  // rows, as for solve(), but they may be the same memory. If they do not fit, throws Error(usage) and
  // revokes the solver.
  void sweep(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // Times and traffic of the last sweep() on this rank, or of all sweeps of the last solve_rows().
  const engine::SolveProfile& last_sweep() const;
  // Records further sweeps with these factors in `recorder`, which must outlive the factors and have room for
  // report().threads; null: stops recording.
  void record_in(engine::Recorder* recorder);

  // The factorization, its plan and costs.
  const Report& report() const;
  // Which rows each rank has.
  const distribution::RowPartition& partition() const;
  // Number of this rank's rows of A, b and x.
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
