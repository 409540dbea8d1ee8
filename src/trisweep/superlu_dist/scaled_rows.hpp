#pragma once
// A matrix as SuperLU_DIST gets it: scaled, and its columns in an order with large entries on the diagonal,
// so that rows stay where they are.

#include <vector>

#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::superlu_dist {

// The same on every rank.
struct Scaling {
  std::vector<double> row, col;  // powers of two
  std::vector<Index> place;      // of each column of A: that of the row whose diagonal entry it has
  std::vector<Index> order;      // of rows and their columns, fill-reducing; empty: the ranks order
};

// Rows, then columns to a largest entry in [0.5, 1); where an entry of the diagonal is small beside that, by
// a matching on rank 0, which gathers the sizes of the entries (single precision). `orders`: rank 0 orders,
// too. Collective. Throws Error(numerical) on every rank when the matrix is structurally singular.
template <Scalar S>
Scaling scaling_of(const mpi::Communicator& comm, const matrix::Csr<S>& rows,
                   const distribution::RowPartition& partition, bool orders,
                   const solve::EngineRequest& request);

// This rank's rows of it, and its ||.||_1. Collective.
template <Scalar S>
double apply(const mpi::Communicator& comm, const Scaling& scaling, Index first, matrix::Csr<S>& rows);

}  // namespace trisweep::superlu_dist
