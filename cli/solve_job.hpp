#pragma once
// One run of `trisweep solve`, from the system in memory to the checked answer.

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "command.hpp"
#include "factorization.hpp"
#include "plan_options.hpp"
#include "system.hpp"
#include "trisweep/krylov/methods.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/solve/iterative_solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::cli {

// The name of the direct method, which uses the factors alone; the others are krylov::methods().
inline constexpr std::string_view direct = "direct";

struct SolveOptions : PlanOptions, SystemFiles {
  model::PlanAxes axes;          // choices left to the model; a single plan if the user has chosen all
  bool transport_given = false;  // false: the plan's transport, or the faster one for these ranks
  std::string machine;           // to choose or predict for; empty: a generic machine with the job's ranks
  std::string trace;
  std::string traffic;
  std::string refine = "auto";  // or a number
  std::string factorization{factorizations().front().name};
  std::string block_triangular{solve::block_triangular_choices().front().name};
  int repeat = 1;
  int threads = 0;  // per rank; 0: as many of the rank's processors as gain time
  bool deterministic = false;
  bool no_dependencies = false;
  std::string method{direct};
  std::string preconditioner{solve::preconditioners().front().name};  // of an iterative method
  krylov::KrylovOptions krylov;                                       // of an iterative method
  double watchdog = usual_watchdog;                                   // seconds

  // Who chose the plan, in the words of the record.
  const char* chosen_by() const { return grid_text == "auto" ? "model" : "user"; }
};

// Output files, opened on rank 0 before the work starts.
struct Outputs {
  std::optional<OutputFile> solution;
  std::optional<OutputFile> json;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> traffic;
};

// T is the precision of the system. Returns the exit status.
template <Scalar T>
int solve_system(const Context& context, const SolveOptions& options, System<T> system, Outputs outputs);
template <Scalar T>
int solve_iteratively(const Context& context, const SolveOptions& options, System<T> system, Outputs outputs);

// The options with which both functions create their solver.
solve::SolverOptions solver_options(const SolveOptions& options, Index nrhs, Observer& observer);

}  // namespace trisweep::cli
