#pragma once
// Preconditioned Krylov methods, for several right-hand sides at once with independent coefficients. Each
// rank has its rows of all vectors.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/krylov/options.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// Solves A x = b from the initial guess x by BiCGStab (van der Vorst 1992), right preconditioned: an
// iteration takes two products with A, two with the preconditioner and three reductions for all columns
// together; memory: eight vectors per column. After a breakdown, or when the recursive residual has departed
// from the true one, the iteration restarts, as long as each start at least halves the residual. x = 0 if b =
// 0; a b that is not finite is a breakdown and leaves x unchanged. b, x: this rank's rows, which must not
// overlap. Returns one result per column, the same on every rank. Collective; throws on every rank
// Error(usage) when b and x do not fit, Error(environment) when any runs out of memory, and what operator and
// preconditioner throw.
template <Scalar T>
std::vector<KrylovResult> bicgstab(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                   Vectors<const T> b, Vectors<T> x, const KrylovOptions& options);
// The same by the pipelined form (Cools and Vanroose 2017, Algorithm 9), which overlaps communication with
// computation.
template <Scalar T>
std::vector<KrylovResult> pipelined_bicgstab(const mpi::ParallelContext& context,
                                             const Preconditioned<T>& system, Vectors<const T> b,
                                             Vectors<T> x, const KrylovOptions& options);

// The same by restarted GMRES (gmres.hpp).
template <Scalar T>
std::vector<KrylovResult> restarted_gmres(const mpi::ParallelContext& context,
                                          const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
                                          const KrylovOptions& options);

// A method and its name.
template <Scalar T>
struct NamedMethod {
  std::string_view name;         // in options and records
  decltype(&bicgstab<T>) solve;  // the method
  bool varying_preconditioner;   // the preconditioner may vary between iterations
};
// All methods. Throws nothing.
template <Scalar T>
std::span<const NamedMethod<T>> methods();

}  // namespace trisweep::krylov
