#pragma once
// A matrix as SuperLU_DIST gets it: scaled, and with columns permuted to bring large entries to the diagonal,
// so that rows stay where they are.

#include <vector>

#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::superlu_dist {

// The same on every rank.
struct Scaling {
  std::vector<double> row, col;  // powers of two
  std::vector<Index> place;      // new place of each column of A: the row whose diagonal entry it holds
  std::vector<Index> order;      // of rows and their columns, fill-reducing; empty: all ranks order
};

// Scales rows, then columns to a largest entry in [0.5, 1); if a diagonal entry is small beside that, also
// scales and permutes by a matching. `orders`: rank 0 computes the fill-reducing order, for which it gathers
// the magnitudes of the entries (single precision), and the matching, which it also does where all ranks
// found none soon. Collective. Throws Error(numerical) on every rank when the matrix is structurally
// singular.
template <Scalar S>
Scaling scaling_of(const mpi::Communicator& comm, const matrix::Csr<S>& rows,
                   const distribution::RowPartition& partition, bool orders,
                   const solve::EngineRequest& request);

// Applies `scaling` to this rank's `rows`, from row `first` of the matrix on, and returns ||.||_1 of the
// scaled matrix. Collective.
template <Scalar S>
double apply(const mpi::Communicator& comm, const Scaling& scaling, Index first, matrix::Csr<S>& rows);

}  // namespace trisweep::superlu_dist
