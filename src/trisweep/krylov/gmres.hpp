#pragma once
// Flexible GMRES (Saad and Schultz 1986; Saad 1993) for several right-hand sides at once, each in its own
// Krylov space.
//
// For corrections where plain refinement stagnates: after pivot perturbations or element growth, L D U is
// only a preconditioner, but a correction in the Krylov space of the preconditioned matrix still converges
// (Carson and Higham 2017, GMRES-IR). A perturbation of rank k costs about k steps.
//
// Each rank has its rows of all vectors. A step takes one product with the preconditioner, one with A, and
// three reductions for all columns together; memory: two vectors per step and column.

#include <vector>

#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// When GMRES stops.
struct GmresOptions {
  int steps = 60;        // maximum number of steps
  double reduction = 0;  // relative residual norm at which to stop
};

// Minimizes ||r - A d||_2 over d = M^-1 v, v in the Krylov space of A M^-1 and r (right preconditioning). d =
// 0 for a column with r zero or not finite; a step whose vector is not finite is discarded and is the last.
// r, d: this rank's rows by right-hand sides. Returns, by column, the relative residual norm after each step.
// Collective; throws on every rank when any runs out of memory, and what operator and preconditioner throw.
template <Scalar T>
std::vector<std::vector<double>> gmres(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                       Vectors<const T> r, Vectors<T> d, const GmresOptions& options);

}  // namespace trisweep::krylov
