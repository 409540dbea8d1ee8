#pragma once
// SuperLU_DIST as the factorization of a solver: all ranks order, factor and keep the system together.
//
//   trisweep::Solver<double> solver(comm, rows, {.factorization = trisweep::superlu_dist::engine()});
//
// Link Trisweep::superlu_dist: find_package(Trisweep COMPONENTS superlu_dist).

#include <memory>

#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::superlu_dist {

// Options of the engine.
struct EngineOptions {
  // Rows per rank from which the ranks order in parallel (ParMETIS, or its replacement); with fewer, on one
  // rank, and by a given SolverOptions::ordering, rank 0 orders the gathered pattern. Parallel orderings fail
  // on small and empty parts.
  Index parallel_from = 4000;
};

// LU with pivots on the diagonal of a matrix that is scaled and, if its diagonal is weak, permuted first; a
// tiny pivot is replaced and counted as perturbed. Only in double precision: in single precision, ranks of
// SuperLU_DIST 8.1.2 wait for each other for ever.
//
// Before: each rank has its rows of A. After: each has the parts of L and U of its place in a 2D process
// grid, until the solver has made panels of them. No rank gathers the factors; every rank has vectors of
// length n. If the diagonal is weak, rank 0 gathers the magnitudes of the entries, 8 bytes each, to match
// rows and columns. Communicators are made for a factorization and freed with it. Throws only std::bad_alloc;
// a factorization throws as DistributedFactorizer::factor.
std::shared_ptr<const solve::FactorEngine> engine(const EngineOptions& options = {});

}  // namespace trisweep::superlu_dist
