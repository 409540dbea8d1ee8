#pragma once
// Selected rows of solutions, and sparse right-hand sides.

#include <span>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/sparse_columns.hpp"

namespace trisweep::cli {

// The rows of the solution that --rows lists.
class WantedRows {
 public:
  WantedRows() = default;  // no list: all rows are wanted
  // Collective; `rows`: the list, on rank 0.
  WantedRows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
             std::vector<Index> rows);

  bool given() const { return count() > 0; }
  Index count() const { return static_cast<Index>(all_.size()); }
  // The local numbers of this rank's wanted rows, in the order of the list.
  std::span<const Index> local() const { return local_; }
  // Collective. Returns all wanted rows on rank 0, in the order of the list; `x`: this rank's, by columns.
  template <Scalar T>
  matrix::Dense<T> gather(const mpi::Communicator& comm, const std::vector<T>& x, Index nrhs) const;

 private:
  std::vector<Index> all_, local_;
  std::vector<Index> rank_;  // of each row
};

// The nonzero entries of this rank's rows of the right-hand sides.
template <Scalar T>
class SparseRightHandSides {
 public:
  SparseRightHandSides() = default;
  // Collective.
  SparseRightHandSides(const mpi::Communicator& comm, Vectors<const T> b);

  solve::SparseColumns<T> columns() const { return {ptr_, row_, value_}; }
  // True if few enough entries are nonzero that finding the panels they reach saves time.
  bool pays() const { return pays_; }

 private:
  std::vector<Offset> ptr_;
  std::vector<Index> row_;
  std::vector<T> value_;
  bool pays_ = false;
};

}  // namespace trisweep::cli
