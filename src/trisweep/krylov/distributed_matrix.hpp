#pragma once
// The matrix itself, by blocks of rows: products and residuals of vectors in the caller's distribution.

#include <optional>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/krylov/halo.hpp"
#include "trisweep/matrix/csr.hpp"
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

  // Makes room for products with op(A) and that many columns; for a transpose stores this rank's part of A
  // once more. Collective; throws on every rank when any runs out of memory. Products do so when needed.
  void prepare(Op op, Index nrhs);

  // y = op(A) x, by all threads of the crew; the same whatever their number. A is read once for each bundle
  // of columns (bundle.hpp), for which each rank exchanges one message with each rank whose columns (rows) it
  // needs. Collective; an error leaves the matrix abandoned (transport/fate.hpp).
  void apply(Op op, Vectors<const T> x, Vectors<T> y, Crew& crew);

  // r = b - op(A) x, in the same way. r is neither x nor b.
  //
  // Unless its data is null, `magnitude` becomes |op(A)| |x| + |b|, entry by entry, with |z| = |re z| + |im
  // z|: what each equation's residual is measured by. A transpose exchanges a second message for it.
  void residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, Crew& crew,
                Vectors<RealOf<T>> magnitude = {});

  // Other values for this rank's entries, in their order. Collective; throws on every rank when they are of
  // another number on any.
  void replace_values(std::span<const T> values);
  // The whole matrix on rank 0, an empty one elsewhere: in `room`, unless this rank has it all. Collective.
  const matrix::Csr<T>& whole(matrix::Csr<T>& room) const;

  // This rank's rows, whose columns are its own rows first, then those of other ranks that the halo brings.
  const matrix::Csr<T>& local() const { return local_; }
  const Halo<T>& halo() const { return halo_; }
  // ||op(A)||_inf.
  double norm_inf(Op op) const { return op == Op::none ? norm_inf_ : norm_one_; }
  const transport::Communicator& comm() const { return comm_; }
  const distribution::RowPartition& partition() const { return partition_; }
  Index local_rows() const { return local_.rows(); }

 private:
  // y = join(b, op(A) x), for a few columns at once or all of them.
  struct Operands {
    Vectors<const T> x;
    Vectors<const T> b;
    Vectors<T> y;
    Vectors<RealOf<T>> magnitude;  // without data: not wanted
  };
  std::vector<Index> number_ghosts();
  void measure_norms();
  template <class Join>
  void multiply_in_bundles(Op op, const Operands& v, Crew& crew, const Join& join);
  template <class Join>
  void multiply_rows(const Operands& v, Index width, Crew& crew, const Join& join);
  template <class Join>
  void multiply_columns(Op op, const Operands& v, Index width, Crew& crew, const Join& join);

  transport::Communicator comm_;
  distribution::RowPartition partition_;
  double norm_inf_ = 0;
  double norm_one_ = 0;
  matrix::Csr<T> local_;       // columns: own rows first, then the ghosts
  std::vector<Index> ghosts_;  // columns of the whole matrix, in order
  std::optional<matrix::Csr<T>> transposed_;
  Halo<T> halo_;
  // Row-major, for bundles of at most width_ columns.
  Index width_ = 0;
  Buffer<T> extended_;  // over local_'s columns
  Buffer<T> own_;       // over its rows, for transposes
};

}  // namespace trisweep::krylov
