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

// Whether the diagonal blocks of a block triangular form are factored in the place of the matrix: where that
// saves much, wherever there is such a form, or never.
enum class BlockTriangular { automatic, on, off };

// By the names that users know.
struct NamedBlockTriangular {
  std::string_view name;   // as options have it
  BlockTriangular choice;  // that it stands for
};
// All of them, the default first. Throws nothing.
std::span<const NamedBlockTriangular> block_triangular_choices();
// The one of that `name`. Throws Error(usage) that lists the names there are.
BlockTriangular find_block_triangular(std::string_view name);

// Unset options are chosen automatically or have the default. The same on every rank.
struct SolverOptions {
  // The plans to choose from (model/plan_axes.hpp); unset: all. model::only(choice) fixes the plan.
  std::optional<model::PlanAxes> plan{};
  // Use the transport `shared` where all ranks share memory, whatever the plan's.
  bool usual_transport = true;
  std::string machine{};  // of the model that chooses the plan: a name or .json file; empty: these ranks
  Op op = Op::none;       // that the plan is chosen for
  Index nrhs = 1;         // right-hand sides that the plan is chosen for
  ordering::Method ordering = ordering::Method::automatic;    // fill-reducing
  numeric::KindChoice kind = numeric::KindChoice::automatic;  // of the first factorization
  // Whose factorization: that engine's (its factors are LU, with inverted supernodes); null: ours.
  std::shared_ptr<const FactorEngine> factorization{};
  bool mixed = false;  // single-precision factors of a double-precision system, with refinement
  // Whether, and how far, the factors' panels are compressed.
  struct Compress {
    double eps = 0;          // relative error of each panel; 0: uncompressed
    bool automatic = false;  // `eps` is chosen
  };
  // Low-rank and reduced-precision storage of the factors' panels; automatic: the accuracy with the fastest
  // refined solve, where that is faster than with uncompressed factors. When compressed factors do not lead
  // to a solution, the system is factored again without compression.
  Compress compress{};
  engine::Device device = engine::Device::native;  // see TriangularSolverOptions
  // Between devices; unset: one-sided puts where there are.
  std::optional<device::ExchangeBackend> exchange_backend{};
  // Per rank; 0: its part of the processors (OMP_NUM_THREADS at most), of which the factorization takes as
  // many as it can use, and so do the sweeps.
  int threads = 0;
  bool deterministic = false;  // a fixed summation order: bitwise the same x on one grid
  // False, a study: the same messages and products in any order, without a solution.
  bool dependencies = true;
  // Seconds without progress after which a solve fails, and says which messages are missing; infinity: never.
  double watchdog = usual_watchdog;
  RefinementOptions refinement{};  // how far x is refined
  // Heeded by our own factorization on processors, unless `kind` asks for Cholesky or L D L^T.
  BlockTriangular block_triangular = BlockTriangular::automatic;
  bool second_try = true;        // conservative pivoting, when the first factors lead to no solution
  Observer* observer = nullptr;  // progress of rank 0

  // `observer`, or one that is silent.
  Observer& observed_by() const { return observer ? *observer : silent_observer(); }
};

}  // namespace trisweep::solve
