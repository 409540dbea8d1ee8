#pragma once
// The matrix itself, by blocks of rows: products and residuals of vectors in the caller's distribution.

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
// They are in the cache; visitors may overwrite them.
inline constexpr std::size_t product_lines = 128;  // of cache, at most
template <Scalar T>
struct ProductRows {
  Index column;  // the first of the bundle, of all that were multiplied
  Index columns;
  Index width;
  ThreadPool::Part rows;
  const T* x;
  Offset x_ld;
  T* product;    // op(A) x
  T* magnitude;  // |op(A)| |x|, with |z| = |re z| + |im z|, as real parts; null unless asked for

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
  // `rows`: this rank's rows of A, with the columns of all of it. Collective; throws on every rank when any
  // runs out of memory, or Error(usage) when rows are not those of the partition. With a Communicator: part
  // of an object, whose messages and fault state it shares.
  DistributedMatrix(mpi::Communicator comm, matrix::Csr<T> rows, const distribution::RowPartition& partition);
  DistributedMatrix(MPI_Comm comm, matrix::Csr<T> rows, const distribution::RowPartition& partition,
                    const mpi::Limits& limits = {})
      : DistributedMatrix(mpi::Communicator(comm, limits), std::move(rows), partition) {}
  // Before: rank 0 has all of `a` (others: null).
  DistributedMatrix(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                    const distribution::RowPartition& partition);
  DistributedMatrix(MPI_Comm comm, const matrix::Csr<T>* a, const distribution::RowPartition& partition,
                    const mpi::Limits& limits = {})
      : DistributedMatrix(mpi::Communicator(comm, limits), a, partition) {}
  ~DistributedMatrix();
  DistributedMatrix(DistributedMatrix&&) = default;

  // Makes room for products with op(A) in bundles of that many columns (bundle_width); for a transpose stores
  // this rank's part of A once more. Collective; throws on every rank when any runs out of memory. Products
  // do so when needed.
  void prepare(Op op, Index width);

  // Calls visit(thread, rows) for all of this rank's rows of op(A) x, by all threads of the thread pool; the
  // same products whatever their number. A is read once for each bundle of columns, for which
  // each rank exchanges one message with each rank whose columns (rows) it needs; with the magnitudes of a
  // transpose two. Collective; an error leaves the matrix revoked (mpi/fault_state.hpp).
  void visit_product(Op op, Vectors<const T> x, bool magnitudes, ThreadPool& pool,
                     const VisitProduct<T>& visit);
  void visit_product(Op op, VectorRows<const T> x, bool magnitudes, ThreadPool& pool,
                     const VisitProduct<T>& visit);
  // y = op(A) x, in this way.
  void apply(Op op, Vectors<const T> x, Vectors<T> y, ThreadPool& pool);
  // The sums |op(A)| 1 and |op(A)| c over this rank's rows of op(A), with |z| = |re z| + |im z|, in one pass.
  // `weight`: c >= 0, and the sums, of this rank's rows. Collective, as products.
  void sum_magnitudes(Op op, std::span<const RealOf<T>> weight, std::span<RealOf<T>> plain,
                      std::span<RealOf<T>> weighted, ThreadPool& pool);
  // r = b - op(A) x. r is neither x nor b.
  void residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, ThreadPool& pool);

  // Other values for this rank's entries, in their order: these times `factor`. Collective; throws on every
  // rank, and keeps the values that there are, when they are of another number on any or memory does not
  // suffice.
  void replace_values(std::span<const T> values, RealOf<T> factor = 1);
  // The whole matrix on rank 0, an empty one elsewhere: in `room`, unless this rank has it all. Collective.
  const matrix::Csr<T>& whole(matrix::Csr<T>& room) const;

  // This rank's rows, whose columns are its own rows first, then those of other ranks that the halo brings.
  const matrix::Csr<T>& local() const { return local_; }
  // The column of A that is that column of local().
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
  // Of an object that can be destroyed, whatever fails afterwards.
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
  std::vector<Index> ghosts_;  // columns of the whole matrix, in order
  std::optional<matrix::Csr<T>> transposed_;
  Halo<T> halo_;
  // Row-major, for bundles of at most width_ columns.
  Index width_ = 0;
  Buffer<T> extended_;    // over local_'s columns
  Buffer<T> own_;         // over its rows, for transposes
  Buffer<T> magnitudes_;  // as extended_, for transposes
};

}  // namespace trisweep::krylov
