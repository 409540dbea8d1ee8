#pragma once
// Our factorization by all ranks, for systems whose factors do not fit one.
//
//   trisweep::Solver<double> solver(comm, rows, {.factorization = trisweep::distributed_fronts()});

#include <memory>

#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::solve {

// The multifrontal factorization of one rank with its kinds, its pivoting and its delayed pivots: subtrees of
// fronts go to ranks in proportion to their size, each front above them to one of the ranks below it.
//
// Before: each rank has its rows of A. After: the panels of its fronts, until the solver has what its plan
// asks for. Rank 0 gathers A to order it, and keeps none of it; the order and the structure are on all ranks.
// Throws std::bad_alloc alone; a factorization throws as DistributedFactorizer::factor.
std::shared_ptr<const FactorEngine> distributed_fronts();

}  // namespace trisweep::solve

namespace trisweep {

using solve::distributed_fronts;

}  // namespace trisweep
