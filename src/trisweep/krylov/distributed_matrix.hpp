#pragma once
// A matrix distributed by blocks of rows: products and residuals with vectors distributed alike.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vector_rows.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/krylov/halo.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::krylov {

// Consecutive rows of products with op(A), for a bundle of columns: row-major, `width` wide.
// They are in cache; visitors may overwrite them.
inline constexpr std::size_t product_lines = 128;  // maximum number of cache lines
template <Scalar T>
struct ProductRows {
  Index column;  // first column of the bundle, among all that are multiplied
  Index columns;
  Index width;
  ThreadPool::Part rows;
  const T* x;
  Offset x_ld;
  T* product;    // op(A) x
  T* magnitude;  // |op(A)| |x|, with |z| = |re z| + |im z|, in the real parts; null unless asked for

  std::size_t size() const { return (rows.end - rows.begin) * usize(width); }
  VectorRows<T> products() const {
    return {product, static_cast<Index>(rows.end - rows.begin), columns, width};
  }
  template <class V>
  V columns_of(V all) const {
    return all.columns(column, columns);
  }
};
template <Scalar T>
using VisitProduct = std::function<void(int thread, const ProductRows<T>&)>;

template <Scalar T>
class DistributedMatrix {
 public:
  // `rows`: this rank's rows of A, with the columns of the whole matrix. Collective; throws on every rank
  // when any runs out of memory, or Error(usage) when the rows are not those of the partition. With a
  // Communicator: part of a larger object, whose messages and fault state it shares.
  DistributedMatrix(mpi::Communicator comm, matrix::Csr<T> rows, const distribution::RowPartition& partition);
  DistributedMatrix(MPI_Comm comm, matrix::Csr<T> rows, const distribution::RowPartition& partition,
                    const mpi::Limits& limits = {})
      : DistributedMatrix(mpi::Communicator(comm, limits), std::move(rows), partition) {}
  // The same for the whole matrix `a` on rank 0 (others: null).
  DistributedMatrix(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                    const distribution::RowPartition& partition);
  DistributedMatrix(MPI_Comm comm, const matrix::Csr<T>* a, const distribution::RowPartition& partition,
                    const mpi::Limits& limits = {})
      : DistributedMatrix(mpi::Communicator(comm, limits), a, partition) {}
  ~DistributedMatrix();
  DistributedMatrix(DistributedMatrix&&) = default;

  // Allocates for products with op(A) in bundles of `width` columns (bundle_width); for a transpose, stores
  // the transpose of this rank's part of A. Products call it when needed. Collective; throws on every rank
  // when any runs out of memory.
  void prepare(Op op, Index width);

  // Calls visit(thread, rows) for all of this rank's rows of op(A) x, by all threads of the thread pool;
  // products do not depend on their number. For each bundle of columns, A is read once, and one message is
  // exchanged with each rank whose rows of x this rank needs (for a transpose: with whose rows of the product
  // it contributes to; two with magnitudes). Collective; an error revokes the matrix (mpi/fault_state.hpp).
  void visit_product(Op op, Vectors<const T> x, bool magnitudes, ThreadPool& pool,
                     const VisitProduct<T>& visit);
  void visit_product(Op op, VectorRows<const T> x, bool magnitudes, ThreadPool& pool,
                     const VisitProduct<T>& visit);
  // y = op(A) x, by visit_product().
  void apply(Op op, Vectors<const T> x, Vectors<T> y, ThreadPool& pool);
  // Computes |op(A)| 1 and |op(A)| c, `plain` and `weighted`, with |z| = |re z| + |im z|, in one pass.
  // `weight`: c >= 0. All are of this rank's rows. Collective, as products.
  void sum_magnitudes(Op op, std::span<const RealOf<T>> weight, std::span<RealOf<T>> plain,
                      std::span<RealOf<T>> weighted, ThreadPool& pool);
  // r = b - op(A) x. r must not overlap x or b.
  void residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, ThreadPool& pool);

  // Replaces this rank's entries by `values` times `factor`, in the same order. Collective; throws on every
  // rank, and keeps the old values, when their number is wrong on any rank or memory does not suffice.
  void replace_values(std::span<const T> values, RealOf<T> factor = 1);
  // Returns the whole matrix on rank 0, an empty one elsewhere: `room`, or on a single rank local().
  // Collective.
  const matrix::Csr<T>& whole(matrix::Csr<T>& room) const;

  // This rank's rows; columns are numbered locally: first its own rows, then the ghosts of the halo.
  const matrix::Csr<T>& local() const { return local_; }
  // Returns the column of A for a column of local().
  Index column(Index j) const {
    return j < local_rows() ? partition_.first(comm_.rank()) + j : ghosts_[usize(j - local_rows())];
  }
  const Halo<T>& halo() const { return halo_; }
  const mpi::Communicator& comm() const { return comm_; }
  const distribution::RowPartition& partition() const { return partition_; }
  Index local_rows() const { return local_.rows(); }

 private:
  struct Bundle {
    VectorRows<const T> x;
    Index column;
    Index width;
    bool magnitudes;
  };
  // Delegated to first, so that the destructor runs if the rest of the construction fails.
  DistributedMatrix(mpi::Communicator comm, matrix::Csr<T> rows)
      : comm_(std::move(comm)), local_(std::move(rows)) {}
  std::vector<Index> number_ghosts();
  template <class V>
  void visit_bundles(Op op, V x, bool magnitudes, ThreadPool& pool, const VisitProduct<T>& visit);
  template <class V>
  VectorRows<const T> in_rows(V x, Index width, bool moved, ThreadPool& pool, Buffer<T>& room);
  void multiply_rows(const Bundle& of, ThreadPool& pool, const VisitProduct<T>& visit);
  void multiply_columns(Op op, const Bundle& of, ThreadPool& pool, const VisitProduct<T>& visit);

  mpi::Communicator comm_;
  distribution::RowPartition partition_;
  matrix::Csr<T> local_;       // columns: own rows first, then the ghosts
  std::vector<Index> ghosts_;  // columns of the whole matrix, ascending
  std::optional<matrix::Csr<T>> transposed_;
  Halo<T> halo_;
  // Row-major, for bundles of at most width_ columns.
  Index width_ = 0;
  Buffer<T> extended_;    // by column of local_
  Buffer<T> own_;         // by row of local_, for transposes
  Buffer<T> magnitudes_;  // by column of local_, for transposes
};

}  // namespace trisweep::krylov
