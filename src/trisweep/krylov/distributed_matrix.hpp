#pragma once
// The matrix itself, by blocks of rows, for residuals: r = b - op(A) x on vectors in the caller's
// distribution.

#include <optional>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/transport/patience.hpp"
#include "trisweep/transport/team.hpp"

namespace trisweep::krylov {

template <Scalar T>
class DistributedMatrix {
 public:
  // `rows`: this rank's rows of A, with the columns of all of it. Collective; throws on every rank when any
  // runs out of memory, or Error(usage) when rows are not those of the partition.
  DistributedMatrix(MPI_Comm comm, matrix::Csr<T> rows, const distribution::RowPartition& partition,
                    const transport::Limits& limits = {});
  // Before: rank 0 has all of `a` (others: null).
  DistributedMatrix(MPI_Comm comm, const matrix::Csr<T>* a, const distribution::RowPartition& partition,
                    const transport::Limits& limits = {});
  ~DistributedMatrix();
  DistributedMatrix(DistributedMatrix&&) = default;

  // Makes room for residuals of op(A) and that many columns; for a transpose stores this rank's part of A
  // once more. Collective; throws on every rank when any runs out of memory. residual() does so when needed.
  void prepare(Op op, Index nrhs);

  // r = b - op(A) x, by all threads of the crew; the same whatever their number. r is neither x nor b. A is
  // read once for each bundle of columns (bundle.hpp), for which each rank exchanges one message with each
  // rank whose columns (rows) it needs. Collective; an error leaves the matrix abandoned
  // (transport/fate.hpp).
  //
  // Unless its data is null, `magnitude` becomes |op(A)| |x| + |b|, entry by entry, with |z| = |re z| + |im
  // z|: what each equation's residual is measured by. A transpose exchanges a second message for it.
  void residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, Crew& crew,
                Vectors<RealOf<T>> magnitude = {});

  // Other values for this rank's entries, in their order. Collective; throws on every rank when they are of
  // another number on any.
  void replace_values(std::span<const T> values);
  // The whole matrix on rank 0, an empty one elsewhere. Collective.
  matrix::Csr<T> collect() const;

  // ||op(A)||_inf.
  double norm_inf(Op op) const { return op == Op::none ? norm_inf_ : norm_one_; }
  const transport::Communicator& comm() const { return comm_; }
  const distribution::RowPartition& partition() const { return partition_; }
  Index local_rows() const { return local_.rows(); }

 private:
  enum class Values { plain, magnitudes };
  // Entries of this rank's vectors that `rank` reads, and where what this rank reads from it is kept.
  struct Neighbour {
    Index rank;
    std::vector<Index> owned;  // local rows that `rank` needs
    Index ghost_begin;         // ghosts [ghost_begin, ghost_end) belong to `rank`
    Index ghost_end;
  };
  // Columns that are multiplied at once. Their entries of a row are neighbours, `width` numbers wide.
  struct Bundle {
    Vectors<const T> x;
    Vectors<const T> b;
    Vectors<T> r;
    Vectors<RealOf<T>> magnitude;
    Index width;
  };
  void residual_together(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, Crew& crew,
                         Vectors<RealOf<T>> magnitude);
  std::vector<Index> number_ghosts();
  void agree_on_neighbours();
  void measure_norms();
  void residual_of_rows(const Bundle& bundle, Crew& crew);
  void residual_of_columns(Op op, const Bundle& bundle, Crew& crew);
  // This rank's rows of op(A) x, or of |op(A)| |x|, a transpose, into extended_. Before: x is in own_.
  void multiply_columns(Op op, Values values, Index width, Crew& crew);
  // Ghosts of column j from their owners, or (reversed) added back to them.
  void exchange(bool reversed, Index width);

  transport::Communicator comm_;
  distribution::RowPartition partition_;
  double norm_inf_ = 0;
  double norm_one_ = 0;
  matrix::Csr<T> local_;       // columns: own rows first, then the ghosts
  std::vector<Index> ghosts_;  // columns of the whole matrix, in order
  std::optional<matrix::Csr<T>> transposed_;
  std::vector<Neighbour> neighbour_;
  std::size_t lent_ = 0;  // entries of a vector that neighbours need, each counted as often as it is needed
  // Row-major, for bundles of at most width_ columns.
  Index width_ = 0;
  Buffer<T> extended_;  // over local_'s columns
  Buffer<T> own_;       // over its rows, for transposes
  Buffer<T> lending_;   // owned entries on their way to or from the neighbours
  std::vector<MPI_Request> request_;
};

}  // namespace trisweep::krylov
