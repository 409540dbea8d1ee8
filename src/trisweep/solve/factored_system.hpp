#pragma once
// A system with its factors on all ranks, in whatever precision those are: what Solver needs of them.

#include <memory>

#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/singularity.hpp"

namespace trisweep::solve {

template <Scalar T>
class FactoredSystem {
 public:
  virtual ~FactoredSystem() = default;
  virtual void prepare(Op op, Index nrhs) = 0;
  virtual Refined solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options) = 0;
  // One forward and backward sweep in the factors' precision, without refinement.
  virtual void sweep(Op op, Vectors<const T> b, Vectors<T> x) = 0;
  // Of a column of x, which the last solve() with this op gave: RefinedSolver::condition and
  // componentwise_condition.
  virtual double condition(Op op, Vectors<const T> x, Index column) = 0;
  virtual double componentwise_condition(Op op, Vectors<const T> x, Index column) = 0;
  virtual double condition_estimate() = 0;
  virtual Probe probe() = 0;
  // As those of TriangularSolver.
  virtual const engine::SolveProfile& last() const = 0;
  virtual void record_in(engine::Recorder* recorder) = 0;
  virtual std::size_t panel_bytes() const = 0;
};

// Collective. `factorization`: on rank 0. `a` outlives the result.
template <Scalar T, Scalar F>
std::unique_ptr<FactoredSystem<T>> make_factored_system(krylov::DistributedMatrix<T>& a,
                                                        std::shared_ptr<const Factorization<F>> factorization,
                                                        const SolverOptions& options);

// Whether `system` has taken these factors, of the same precision and analysis as those it has, in their
// place. Collective.
template <Scalar T, Scalar F>
bool refilled(FactoredSystem<T>& system, std::shared_ptr<const Factorization<F>> factorization);

}  // namespace trisweep::solve
