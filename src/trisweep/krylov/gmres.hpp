#pragma once
// GMRES for the corrections that plain refinement cannot find: when pivots had to be perturbed or the
// elements grew, L D U is only a preconditioner, and a correction in the Krylov space of the preconditioned
// matrix still converges (Carson and Higham 2017, GMRES-IR). Perturbations of rank k cost about k steps.

#include <vector>

#include "trisweep/krylov/one_norm.hpp"

namespace trisweep::krylov {

// d with ||r - A d||_2 as small as at most `steps` steps make it, or at most `reduction` times ||r||_2. Right
// preconditioned: minimizes over d = M^-1 v, v in the Krylov space of A M^-1 and r. Orthogonalizes twice, in
// two reductions a step. Zero when r is zero or not finite. Collective; memory: two vectors a step. Throws on
// every rank when any runs out of it.
template <Scalar T>
std::vector<T> gmres(const transport::Communicator& comm, const InPlaceProduct<T>& a,
                     const InPlaceProduct<T>& preconditioner, std::span<const T> r, int steps,
                     double reduction);

}  // namespace trisweep::krylov
