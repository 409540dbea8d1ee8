#pragma once
// Scaling of a matrix that is distributed by rows.

#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// Powers of two for all rows and columns, the same on every rank.
struct Equilibration {
  std::vector<double> row, col;
  // False if a diagonal entry of the scaled matrix is so small beside the largest of its row or column that a
  // matching has to look for others. Those of discretized equations are not.
  bool has_strong_diagonal = false;
};

// Scales rows, then columns to a largest entry in [0.5, 1). `rows`: this rank's, with the columns of the
// whole matrix. Collective.
template <Scalar T>
Equilibration equilibrate(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                          const distribution::RowPartition& partition);

// Scales rows and columns alike, to a diagonal in [0.5, 2). The diagonal is positive. Collective.
template <Scalar T>
Equilibration equilibrate_symmetrically(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                        const distribution::RowPartition& partition);

}  // namespace trisweep::solve
