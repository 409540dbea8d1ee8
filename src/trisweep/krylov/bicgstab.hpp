#pragma once
// BiCGStab (van der Vorst 1992), right preconditioned, for several right-hand sides at once, each with
// coefficients of its own.
//
// Each rank has its rows of all vectors. An iteration takes two products with A, two with the preconditioner
// and three reductions for all columns together; memory: eight vectors a column.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/krylov/outcome.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// What of a pipelined method's messages is hidden.
enum class Overlap {
  none,
  sums,     // reductions behind products
  gathers,  // and what products gather behind updates of vectors and their inner products
};
struct NamedOverlap {
  std::string_view name;
  Overlap overlap;
};
std::span<const NamedOverlap> overlaps();

struct BicgstabOptions {
  double tolerance = 1e-10;  // of ||b - A x||_2 / ||b||_2
  int max_iterations = 1000;
  // Of the pipelined form: overlap, and iterations between recurrences that are made anew (0: none are).
  Overlap overlap = Overlap::gathers;
  int replace_every = 50;
  int restart = 60;  // steps of GMRES
};

// Of one right-hand side.
struct BicgstabResult {
  Outcome outcome = Outcome::most_iterations;
  int iterations = 0;
  double residual = 0;          // ||b - A x||_2 / ||b||_2, not by the recurrence
  std::vector<double> history;  // the same by the recurrence, before the first iteration and after each
};

// Improves x, the first guess, until A x = b. Iterations that break down, or whose recurrence has lost the
// true residual, start anew from it, as long as this at least halves it. Where b is zero x becomes zero;
// where b is not finite x is left alone, and that is a breakdown. The result is the same on every rank, by
// column. Collective; throws on every rank when any runs out of memory.
template <Scalar T>
std::vector<BicgstabResult> bicgstab(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                     Vectors<const T> b, Vectors<T> x, const BicgstabOptions& options);
// The same by the pipelined form (pipelined_bicgstab.cpp), whose messages have work to hide behind.
template <Scalar T>
std::vector<BicgstabResult> pipelined_bicgstab(const mpi::ParallelContext& context,
                                               const Preconditioned<T>& system, Vectors<const T> b,
                                               Vectors<T> x, const BicgstabOptions& options);

// The same by GMRES (gmres.hpp), anew every `restart` steps.
template <Scalar T>
std::vector<BicgstabResult> restarted_gmres(const mpi::ParallelContext& context,
                                            const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
                                            const BicgstabOptions& options);

// All, by the names that users know.
template <Scalar T>
struct NamedMethod {
  std::string_view name;
  decltype(&bicgstab<T>) solve;
  bool varying_preconditioner;  // it may be another one in each iteration
};
template <Scalar T>
std::span<const NamedMethod<T>> methods();

}  // namespace trisweep::krylov
