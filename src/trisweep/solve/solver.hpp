#pragma once
// What a user holds: a linear system that is analyzed, planned for the ranks at hand, factored, and then
// solved as often as wanted, each answer refined and judged. Underneath are the stages, for those who want
// them: analysis.hpp, triangular_solver.hpp, refinement.hpp.
//
//   trisweep::Solver<double> solver(MPI_COMM_WORLD, {rows_of_A});
//   const auto answer = solver.solve(b, x);
//   if (!answer.solved()) ...

#include <mpi.h>

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {

// What is not said is chosen, or usual. The same on every rank.
struct SolverOptions {
  // What plans there are to choose from (model/plan_choice.hpp); nothing: all. model::only() leaves no
  // choice.
  std::optional<model::PlanAxes> plan{};
  // Ranks that share memory have the transport `shared`, whatever the plan says.
  bool usual_transport = true;
  std::string machine{};  // to choose the plan for, by name or .json file; empty: the ranks at hand
  Op op = Op::none;       // likewise
  Index nrhs = 1;         // likewise: right-hand sides of a solve
  ordering::Method ordering = ordering::Method::automatic;
  bool mixed = false;  // factors in single precision under a system and vectors in double
  // Panels in low rank and in as few bytes as that accuracy needs; automatic: the accuracy for which the
  // passes to an answer read least, where those take less time than with panels as they are. Where they lead
  // to no answer, factors are made again without.
  struct Compress {
    double eps = 0;  // 0: panels as they are
    bool automatic = false;
  } compress{};
  engine::Device device = engine::Device::native;  // see SolverOptions
  std::optional<device::ExchangeBackend> exchange_backend{};
  int threads = 0;             // of each rank; 0: one in the sweeps, all processors in the factorization
  bool deterministic = false;  // see SolverOptions for these three
  bool dependencies = true;
  double watchdog = std::numeric_limits<double>::infinity();
  RefinementOptions refinement{};
  bool second_try = true;        // conservative pivoting, when the first factors lead to no solution
  Observer* observer = nullptr;  // of what rank 0 does
};

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

  // op(A) x = b for this rank's rows of b and x, in the order in which it has those of A, at the place of the
  // caller. b and x have no memory in common. Whether x may be believed, the answer tells; it is there in any
  // case. They may be in the memory of the solver's device (RefinedSolver::solve), and `stream` one of its.
  // Throws Error(input) when b has an entry that is not finite, naming its row and column: the solver stays
  // as it is.
  Answer solve(Vectors<const T> b, Vectors<T> x, Op op = Op::none, void* stream = nullptr);
  // How far x, which solve() gave with this answer, may be from the solution, of the right-hand side with the
  // largest error. Some thirty sweeps. Unknown where the verdict is singular: x is then one of many.
  ForwardError forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op = Op::none);
  // Other values for this rank's entries, in the order of its rows: the same order, structure and plan serve
  // again, unless the new values do not let them.
  void refactor(std::span<const T> values);

  // Without allocation from now on, but for GMRES: solves of op with at most that many right-hand sides.
  void prepare(Op op, Index nrhs);
  // One forward and backward sweep with the factors alone: neither refined nor judged.
  void sweep(Vectors<const T> b, Vectors<T> x, Op op = Op::none);
  // What this rank did in the last sweep; and from now on all are recorded there (null: no longer).
  const engine::SolveProfile& last_sweep() const;
  void record_in(engine::Recorder* recorder);

  // What was done to make the system ready.
  const Report& report() const;
  // Who has which rows, and this rank's number of them.
  const distribution::RowPartition& partition() const;
  Index rows() const;

 private:
  class System;
  std::unique_ptr<System> system_;
};

}  // namespace trisweep::solve

namespace trisweep {

using solve::BlockRows;
using solve::dealt_out;
using solve::Solver;

}  // namespace trisweep
