#pragma once
// The matrix itself, by blocks of rows, for residuals: r = b - op(A) x on vectors in the caller's
// distribution.

#include <vector>

#include "trisweep/matrix/csr.hpp"
#include "trisweep/solve/vector_map.hpp"
#include "trisweep/transport/communicator.hpp"

namespace trisweep::solve {

template <Scalar T>
class DistributedMatrix {
 public:
  // Collective. Before: rank 0 has `a` (others: null). After: every rank has the rows of `partition`.
  // Throws on every rank when any runs out of memory.
  DistributedMatrix(MPI_Comm comm, const matrix::Csr<T>* a, const RowPartition& partition);

  // r = b - op(A) x. Each rank exchanges one message with each rank whose columns (rows) it needs.
  void residual(Op op, Columns<const T> x, Columns<const T> b, Columns<T> r);

  // ||op(A)||_inf.
  double norm_inf(Op op) const { return op == Op::none ? norm_inf_ : norm_one_; }
  const transport::Communicator& comm() const { return comm_; }
  const RowPartition& partition() const { return partition_; }
  Index local_rows() const { return local_.rows(); }

 private:
  // Entries of this rank's vectors that `rank` reads, and where what this rank reads from it is kept.
  struct Neighbour {
    Index rank;
    std::vector<Index> owned;  // local rows that `rank` needs
    Index ghost_begin;         // ghosts [ghost_begin, ghost_end) belong to `rank`
    Index ghost_end;
  };
  void receive_rows(const matrix::Csr<T>* a);
  void number_ghosts();
  void agree_on_neighbours(const std::vector<Index>& ghosts);
  // Ghosts of column j from their owners, or (reversed) added back to them.
  void exchange(bool reversed);

  transport::Communicator comm_;
  RowPartition partition_;
  double norm_inf_ = 0;
  double norm_one_ = 0;
  matrix::Csr<T> local_;  // columns: own rows first, then the ghosts
  std::vector<Neighbour> neighbour_;
  std::vector<T> extended_;  // a vector over local_'s columns
  std::vector<T> buffer_;    // owned entries on their way to or from the neighbours
  std::vector<MPI_Request> request_;
};

}  // namespace trisweep::solve
