#pragma once
// The options of a solver (solver.hpp).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/watchdog.hpp"
#include "trisweep/engine/devices.hpp"
#include "trisweep/model/plan_axes.hpp"
#include "trisweep/numeric/kind.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

class FactorEngine;  // factor_engine.hpp

// Whether the diagonal blocks of a block triangular form are factored instead of the whole matrix: where that
// saves much, wherever there is such a form, or never.
enum class BlockTriangular { automatic, on, off };

// A choice of BlockTriangular and its name.
struct NamedBlockTriangular {
  std::string_view name;   // of the command-line option
  BlockTriangular choice;  // the choice of this name
};
// All choices, the default first. Throws nothing.
std::span<const NamedBlockTriangular> block_triangular_choices();
// Returns the choice of this `name`. Throws Error(usage), which lists the names, if there is none.
BlockTriangular find_block_triangular(std::string_view name);

// Options of a solver, the same on every rank. Unset: chosen automatically, or the default.
struct SolverOptions {
  // The plans to choose from (model/plan_axes.hpp); unset: all. model::only(choice) fixes the plan.
  std::optional<model::PlanAxes> plan{};
  // Use the transport `shared` where all ranks share memory, whatever the plan's transport.
  bool usual_transport = true;
  // Machine that the model prices plans for: a name or a .json file; empty: the ranks at hand.
  std::string machine{};
  Op op = Op::none;  // op that the plan is chosen for
  Index nrhs = 1;    // number of right-hand sides that the plan is chosen for
  ordering::Method ordering = ordering::Method::automatic;    // fill-reducing ordering
  numeric::KindChoice kind = numeric::KindChoice::automatic;  // kind of the first factorization
  // Another library that factors (its factors are LU, with inverted supernodes); null: our factorization.
  std::shared_ptr<const FactorEngine> factorization{};
  bool mixed = false;  // single-precision factors of a double-precision system, with refinement
  // Whether, and how far, the factors' panels are compressed.
  struct Compress {
    double eps = 0;          // relative error of each panel; 0: uncompressed
    bool automatic = false;  // choose `eps` automatically
  };
  // Low-rank and reduced-precision storage of the factors' panels; automatic: the accuracy with the fastest
  // refined solve, if that is faster than with uncompressed factors. If compressed factors do not lead to a
  // solution, the system is factored again without compression.
  Compress compress{};
  engine::Device device = engine::Device::native;  // see TriangularSolverOptions
  // Exchange between devices; unset: one-sided puts where available.
  std::optional<device::ExchangeBackend> exchange_backend{};
  // Threads per rank. 0: factorization and sweeps each use as many as are useful, up to the rank's share of
  // the node's processors and OMP_NUM_THREADS.
  int threads = 0;
  bool deterministic = false;  // a fixed summation order: bitwise the same x on one grid
  // False, for studies only: the same messages and products in any order, without a valid solution.
  bool dependencies = true;
  // Seconds without progress after which a solve fails and reports the missing messages; infinity: never.
  double watchdog = usual_watchdog;
  RefinementOptions refinement{};  // how far x is refined
  // Ignored on devices, with another library's factorization, and if `kind` asks for Cholesky or L D L^T.
  BlockTriangular block_triangular = BlockTriangular::automatic;
  bool second_try = true;        // conservative pivoting, see next_attempt() (attempt.hpp)
  Observer* observer = nullptr;  // progress of rank 0

  // `observer`, or a silent one if that is null.
  Observer& observed_by() const { return observer ? *observer : silent_observer(); }
};

}  // namespace trisweep::solve
