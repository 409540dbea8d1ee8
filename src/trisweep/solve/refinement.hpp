#pragma once
// Iterative refinement (Skeel 1980; Arioli, Demmel and Duff 1989), and the backward errors of its result,
// which are invariant under scaling of equations and unknowns.

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "trisweep/solve/agreed_call.hpp"
#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/corrected_columns.hpp"
#include "trisweep/solve/corrections.hpp"
#include "trisweep/solve/device_refined_solver.hpp"

namespace trisweep::solve {

// The result of refinement for all right-hand sides of a call.
struct Refined {
  BackwardError error;               // maximum of each kind
  std::vector<ColumnError> columns;  // by right-hand side
  SmallUnknowns small;               // of all right-hand sides and ranks
  int steps = 0;                     // accepted corrections
  Index worst = 0;                   // the right-hand side with the largest error
  Offset reductions = 0;             // blocking reductions
  double panel_share = 1;            // of the first sweeps, see Answer
  double seconds = 0;                // on this rank
};

// Solves op(A) x = b with the factors and corrects x while its backward error is not acceptable. Residuals
// and x are in the precision T of A; the factors may have lower precision. A correction that does not help is
// discarded.
//
// Right-hand sides are solved in groups, so that memory beyond b and x is bounded for any number of them:
// about 64 MiB, or two bundles of vectors, and half as much for corrections. Vectors of a group that fits,
// and all that are corrected, are stored row-major: transposing them in each step would take as long as its
// sweep. A prepared solve of a group makes one reduction before its first sweep and one per error
// measurement, two if a solution is not acceptable at once.
//
// Uses the solver's threads or, if the solver's device has memory of its own, the device. Collective, as is
// the destructor on devices. Methods throw on every rank Error(usage) when b or x are not this rank's rows or
// the ranks' calls differ, and Error(environment) when any rank runs out of memory; matrix and solver may
// then be revoked (mpi/fault_state.hpp).
template <Scalar T>
class RefinedSolver {
 public:
  // `solver`: has the factors of `a`. Both must outlive this object.
  RefinedSolver(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver)
      : a_(a),
        solver_(solver),
        residuals_(a, solver.pool(), {solver.equation_scale(Op::none), solver.equation_scale(Op::transpose)}),
        corrections_(a, solver) {
    if (solver.options().device != engine::Device::native) on_device_.emplace(a, solver, residuals_);
  }

  // Allocates here and in the solver for at most `nrhs` right-hand sides: solve() then allocates little,
  // except for GMRES. solve() calls it when needed.
  void prepare(Op op, Index nrhs);
  // Number of right-hand sides, of `nrhs`, that are solved together. Throws nothing.
  Index group(Index nrhs) const;
  // Number of right-hand sides, of `nrhs`, that are corrected together. Throws nothing.
  Index part(Index nrhs) const;
  // Solves and refines. b, x: this rank's rows, which must not overlap; `options`: the same on all ranks;
  // otherwise throws Error(usage) on every rank. b and x may be in the memory of the solver's device, and are
  // refined there in `stream` (null: the default stream): each step waits for the stream to read the residual
  // norms, and x is complete on return. Vectors are copied to the host only for GMRES, for corrections of
  // small unknowns, and by the functions below.
  Refined solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options,
                void* stream = nullptr);
  // Returns the maximum errors over right-hand sides b, for any x, not only that of solve().
  BackwardError backward_error(Op op, Vectors<const T> b, Vectors<const T> x);

  // Estimates the forward error of x for one right-hand side b, see ForwardError. `terms`: the largest number
  // of terms of a residual's entry, for its rounding error. At most thirty solves, refined as in solve() if
  // `corrects`: for factors of a perturbed matrix, whose condition says little about A's.
  ForwardError forward_error(Op op, Vectors<const T> b, Vectors<const T> x, Index terms,
                             bool corrects = false);
  // Returns estimate_condition() (condition.hpp), by refined solves if `corrects`.
  double estimate_condition(bool corrects);

 private:
  using R = RealOf<T>;
  // Some right-hand sides with their solutions and residuals.
  struct System {
    Op op;
    Vectors<const T> b;
    Vectors<T> x;
    Vectors<T> r;
    void* stream = nullptr;
  };
  // The same, row-major.
  struct SystemInRows {
    Op op;
    VectorRows<const T> b;
    VectorRows<T> x;
    VectorRows<T> r;
    VectorRows<T> before;  // x before it was corrected

    SystemInRows columns(Index first, Index count) const {
      return {op, b.columns(first, count), x.columns(first, count), r.columns(first, count),
              before.columns(first, count)};
    }
  };
  // The result of right-hand sides that were solved together.
  struct Group {
    std::vector<ColumnError> errors;
    int steps = 0;           // maximum over parts
    double panel_share = 1;  // of the first sweeps
  };
  // Consecutive columns that are corrected.
  struct Part {
    Index first, count;
  };
  // Sets d to a correction of x from its residual r, which it may overwrite.
  using Correction = std::function<void(Vectors<T> r, Vectors<T> d)>;

  // Runs work() so that an error on this rank alone reaches the other ranks, wherever they wait.
  template <class Work>
  auto revoke_on_error(const Work& work);
  // Checks a call in one reduction: that no rank refuses it, and that all ranks make the same call; allocates
  // if any rank lacks room for it. `writes`: x is written, and then must not overlap b.
  void agree(const Call& call, Vectors<const T> b, Vectors<const T> x, bool writes);
  bool has_room(Op op, Index nrhs) const;
  void make_room(Op op, Index nrhs);
  // op(A)^-1 by refined solves, for condition estimates.
  Inverse<T> corrected_inverse();
  // Returns v, or a copy of it in `room` if v is in device memory. Collective.
  template <class V>
  Vectors<V> on_host(Vectors<V> v, Buffer<T>& room);
  Group refine_here(const System& system, const RefinementOptions& options);
  // Computes the first solution; `b`: as in `vectors`. Returns the share of panel entries read.
  template <class B>
  double solve_first(Op op, const B& b, const engine::CallersVectors<T>& vectors, bool prune);
  Group refine_on_device(const System& system, const RefinementLimits& limits);
  // Continues on the host a refinement that took `steps` steps on the device: GMRES, small unknowns.
  Group take_over(const System& system, int steps, const RefinementLimits& limits);
  // Returns row-major vectors: those of `system` if it has one column, else buffers into which b is copied.
  SystemInRows in_rows(const System& system);
  // Copies x into `rows`, or back.
  void bring_x(const System& system, const SystemInRows& rows, bool back);
  // Splits the columns with unacceptable errors into parts; a part includes short gaps of acceptable columns.
  std::vector<Part> parts_to_correct(std::span<const ColumnError> errors,
                                     const RefinementLimits& limits) const;
  void correct_by_factors(const SystemInRows& system, const RefinementLimits& limits,
                          CorrectedColumns& columns);
  void correct_otherwise(const System& system, const RefinementLimits& limits, CorrectedColumns& columns);
  CorrectionStep step_here(const System& system, const RefinementLimits& limits,
                           const Correction& correction);
  Offset reductions() const {
    const mpi::Communicator &a = a_.comm(), &solver = solver_.comm();
    return a.reductions() + (a.shares_fault_state(solver) ? 0 : solver.reductions());
  }

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
  Residuals<T> residuals_;
  Corrections<T> corrections_;
  std::map<Op, Index> room_;  // right-hand sides
  Buffer<T> residual_;        // of a part
  Buffer<T> corrected_;
  Buffer<T> b_in_rows_;  // of a part with several columns
  Buffer<T> x_in_rows_;
  bool was_corrected_ = false;                       // a solution of the last group
  std::optional<DeviceRefinedSolver<T>> on_device_;  // where the solver's device has memory of its own
};

}  // namespace trisweep::solve
