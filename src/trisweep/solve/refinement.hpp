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

// What refinement has come to, of all right-hand sides of a call.
struct Refined {
  BackwardError error;               // the largest of each kind
  std::vector<ColumnError> columns;  // by right-hand side
  SmallUnknowns small;               // of all right-hand sides and ranks
  int steps = 0;                     // accepted corrections
  Index worst = 0;                   // the right-hand side with the largest error
  Offset reductions = 0;             // blocking ones
  double panel_share = 1;            // of the first sweeps, see Answer
  double seconds = 0;                // on this rank
};

// Solves op(A) x = b with the factors and corrects x where its backward error is not acceptable, in the
// precision T of A, that the factors need not have. A correction that does not help is not taken.
//
// Right-hand sides are solved in groups, so that memory beyond b and x is bounded whatever their number:
// about 64 MiB, or what two bundles of them take, and half as much for corrections. Those
// that fit in there, and any that are corrected, lie in rows: to turn them for each step would take as long
// as its sweep. A prepared solve of a group makes one reduction for each measurement, two where an answer is
// not acceptable at once, and one before the first.
//
// Works with the solver's threads, and where the solver's device has memory of its own, there. Collective,
// and so is its destructor on devices; methods throw on every rank Error(usage) when b or x are not this
// rank's rows or ranks' calls differ, and Error(environment) when any runs out of memory, after which matrix
// and solver may be revoked (mpi/fault_state.hpp).
template <Scalar T>
class RefinedSolver {
 public:
  // With the factors of `a` that `solver` has; both outlive it.
  RefinedSolver(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver)
      : a_(a),
        solver_(solver),
        residuals_(a, solver.pool(), {solver.equation_scale(Op::none), solver.equation_scale(Op::transpose)}),
        corrections_(a, solver) {
    if (solver.options().device != engine::Device::native) on_device_.emplace(a, solver, residuals_);
  }

  // Allocates here and in the solver for at most `nrhs` right-hand sides: solve() then allocates little, but
  // for GMRES. solve() does so when needed.
  void prepare(Op op, Index nrhs);
  // Number of right-hand sides, of `nrhs`, that are solved together. Throws nothing.
  Index group(Index nrhs) const;
  // Number of those, of `nrhs`, that are corrected together. Throws nothing.
  Index part(Index nrhs) const;
  // b and x, this rank's rows, must not overlap, and options must be those of all ranks: Error(usage) on
  // every rank otherwise. b and x may be in the memory of the solver's device, and are refined there in
  // `stream` (null: the default stream): each step waits for the stream, for the residual norms, and x is
  // complete on return. Vectors are copied to the host for GMRES and for corrections of small unknowns only,
  // and by the functions below.
  Refined solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options,
                void* stream = nullptr);
  // The largest errors over right-hand sides, of any x for b, not only of solve().
  BackwardError backward_error(Op op, Vectors<const T> b, Vectors<const T> x);

  // Forward error of x for one right-hand side b, see ForwardError. `terms`: entries in a row of op(A), for
  // the rounding error of residuals. At most thirty solves, corrected as solve() does where `corrects`: for
  // factors that are of a matrix nearby, whose condition says little of A's.
  ForwardError forward_error(Op op, Vectors<const T> b, Vectors<const T> x, Index terms,
                             bool corrects = false);
  // estimate_condition() (condition.hpp), by such solves where `corrects`.
  double estimate_condition(bool corrects);

 private:
  using R = RealOf<T>;
  // Some right-hand sides, their answers and the residuals of these.
  struct System {
    Op op;
    Vectors<const T> b;
    Vectors<T> x;
    Vectors<T> r;
    void* stream = nullptr;
  };
  // The same in rows.
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
  // Right-hand sides that were solved together.
  struct Group {
    std::vector<ColumnError> errors;
    int steps = 0;           // of those that took the most
    double panel_share = 1;  // of the first sweeps
  };
  // Consecutive columns that are corrected.
  struct Part {
    Index first, count;
  };
  // d = a correction of x, whose residual r it may overwrite.
  using Correction = std::function<void(Vectors<T> r, Vectors<T> d)>;

  // Runs work() so that an error that this rank has alone reaches the others, wherever they wait.
  template <class Work>
  auto revoke_on_error(const Work& work);
  // Of a call, in one reduction: whether any rank refuses it, whether it is the same on all, and whether
  // there is room for it. `writes`: x, which then has no memory in common with b.
  void agree(const Call& call, Vectors<const T> b, Vectors<const T> x, bool writes);
  bool has_room(Op op, Index nrhs) const;
  void make_room(Op op, Index nrhs);
  // For estimates of the condition.
  Inverse<T> corrected_inverse();
  // v, or a copy in `room` of what is in a device's memory. Collective.
  template <class V>
  Vectors<V> on_host(Vectors<V> v, Buffer<T>& room);
  Group refine_here(const System& system, const RefinementOptions& options);
  // The first answer; b as `vectors` have it. Returns the share of the panels that took.
  template <class B>
  double solve_first(Op op, const B& b, const engine::CallersVectors<T>& vectors, bool prune);
  Group refine_on_device(const System& system, const RefinementLimits& limits);
  // The steps that only the host has, of an answer that a device began with and took so many for.
  Group take_over(const System& system, int steps, const RefinementLimits& limits);
  // Its vectors where they are if there is one of each, else in room of their own; with b.
  SystemInRows in_rows(const System& system);
  // Copies x there, or back.
  void bring_x(const System& system, const SystemInRows& rows, bool back);
  // From each that is not good enough on, with those that are between them and not worth leaving out.
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
  Buffer<T> b_in_rows_;  // of a part that has several columns
  Buffer<T> x_in_rows_;
  bool was_corrected_ = false;                       // the last answer
  std::optional<DeviceRefinedSolver<T>> on_device_;  // where the solver's device has memory of its own
};

}  // namespace trisweep::solve
