#pragma once
// SuperLU_DIST as the factorization of a solver: all ranks order, factor and keep the system together.
//
//   trisweep::Solver<double> solver(comm, rows, {.factorization = trisweep::superlu_dist::engine()});
//
// Link Trisweep::superlu_dist: find_package(Trisweep COMPONENTS superlu_dist).

#include <memory>

#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::superlu_dist {

// Of the engine.
struct EngineOptions {
  // Rows per rank from which the ranks order in parallel (ParMETIS, or what stands for it); below, and on one
  // rank, rank 0 orders the gathered pattern. Parallel orderings fail on small and empty parts.
  Index parallel_from = 4000;
};

// L U with pivots on the diagonal of a matrix that is scaled and, where its diagonal is weak, permuted first;
// a tiny pivot is replaced and counted as perturbed. In double precision alone: where SuperLU_DIST 8.1.2 has
// others, ranks wait for each other for ever.
//
// Before: each rank has its rows of A. After: the parts of L and U that its place in a 2D process grid has,
// until the solver has made panels of them. No rank gathers the factors; every rank has vectors of n. Where
// the diagonal is weak, rank 0 gathers the sizes of the entries, 8 bytes each, to match rows and columns.
// Communicators are made for a factorization and freed with it. Throws std::bad_alloc alone; a factorization
// throws as DistributedFactorizer::factor.
std::shared_ptr<const solve::FactorEngine> engine(const EngineOptions& options = {});

}  // namespace trisweep::superlu_dist
