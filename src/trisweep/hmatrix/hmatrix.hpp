#pragma once
// A hierarchical matrix (Hackbusch 1999) of an asymptotically smooth kernel at n points: O(n log n) memory
// and time of a product.
//
// Vectors are in the cluster tree's order. Each rank has consecutive rows of A, about equal in stored bytes,
// and the same rows of vectors. A product is one allgather of x and the product with this rank's rows; it is
// a krylov::LinearOperator.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/engine/recorder.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"
#include "trisweep/hmatrix/device_product.hpp"
#include "trisweep/hmatrix/local_blocks.hpp"
#include "trisweep/krylov/linear_operator.hpp"

namespace trisweep::hmatrix {

// Totals over all ranks.
struct Statistics {
  Offset stored_values = 0;            // values of all blocks
  Offset bytes = 0;                    // replicated data counted on each rank
  Offset bytes_max = 0;                // of the rank with the most
  double bytes_balance = 1;            // bytes_max over the mean of the ranks
  Offset low_rank_blocks = 0;          // each counted once
  Offset dense_blocks = 0;             // each counted once
  double mean_rank = 0;                // of the low-rank blocks
  Index max_rank = 0;                  // of them
  std::vector<Offset> blocks_of_rank;  // number of blocks with rank 0, 1, ...
  double assembly_seconds = 0;         // of making the blocks, on the slowest rank
};

// All ranks construct, call and destroy it together. An error of a single rank revokes the matrix
// (mpi/fault_state.hpp), and every rank throws that error.
template <Scalar T>
class HMatrix {
 public:
  // Distributes the rows of the blocks by bytes, or as the partition `as` of the same row blocks. Collective;
  // throws on every rank when any runs out of memory. The thread pool must outlive the matrix.
  HMatrix(const mpi::ParallelContext& context, CompressedBlocks<T> blocks,
          const distribution::RowPartition* as = nullptr);
  // The blocks of `kernel` at the points of `tree` by compress_blocks(), whose errors it throws as well:
  // Error(usage) when an option is out of range, Error(input) when an entry is not finite, Error(environment)
  // when the matrix will not fit.
  HMatrix(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel, ClusterTree tree,
          const HMatrixOptions& options, Observer& observer = silent_observer());
  ~HMatrix();  // a revoked matrix keeps memory that messages may still be written to
  HMatrix(const HMatrix&) = delete;
  HMatrix& operator=(const HMatrix&) = delete;

  // y = op(A) x. x, y: this rank's rows; they must not overlap. For op N they may be in the memory of the
  // device (gathered through host memory), and y is bitwise independent of the numbers of ranks and threads;
  // for T and H the number of ranks determines the summation order. Collective; throws Error(usage) when
  // x or y does not fit, which revokes the matrix.
  void apply(Op op, Vectors<const T> x, Vectors<T> y);
  // The same for op N: y = A x.
  void operator()(Vectors<const T> x, Vectors<T> y) { apply(Op::none, x, y); }
  // The same for op N: y = A x; `work` runs while x is gathered, and an exception from it revokes the matrix.
  void operator()(Vectors<const T> x, Vectors<T> y, const krylov::Meanwhile& work);

  // Runs products of op N on `device` from now on. Collective; throws on every rank when one has no such
  // device.
  void use_device(backend::Device device);
  // Makes a product from this rank's tasks.
  using ProductMaker =
      std::function<std::unique_ptr<device::GemvRunner<T>>(const device::GemvTasks& tasks, ThreadPool& pool)>;
  // Runs products of op N with the object that `make` returns. Collective; throws on every rank when one
  // throws.
  void use_product(const ProductMaker& make);
  // Whether x and y may be in a device's memory.
  bool reaches_device() const { return product_ != nullptr; }

  // Records all-gathers (as one more thread after the thread pool's), the products after them, and the work
  // done meanwhile. `recorder` must outlive the matrix; null stops recording. Throws nothing.
  void record_in(engine::Recorder* recorder) { recorder_ = recorder; }

  // The cluster tree, whose order is that of vectors.
  const ClusterTree& tree() const { return tree_; }
  // Which rows each rank has.
  const distribution::RowPartition& partition() const { return partition_; }
  // Number of this rank's rows.
  Index local_rows() const { return partition_.count(comm_.rank()); }
  // This rank's products as tasks of a device, which refer to this object.
  device::GemvTasks device_tasks() const { return local_.device_tasks(); }
  // Memory, ranks of blocks and times.
  const Statistics& statistics() const { return statistics_; }
  // The communicator of products.
  const mpi::Communicator& comm() const { return comm_; }
  // The thread pool that products run on.
  ThreadPool& pool() const { return pool_; }

 private:
  void deal_out(CompressedBlocks<T> blocks, const distribution::RowPartition* as);
  void count(const CompressedBlocks<T>& blocks);
  void count_local();
  void reserve(Index nrhs);
  // Counts and beginnings of each rank's rows in a message, which MPI reads as long as a collective is under
  // way.
  struct RowsOfRanks {
    Buffer<int> count, begin;
  };
  // rows_of(rank) returns the number of rows and the first.
  template <class RowsOf>
  RowsOfRanks rows_of_ranks(const RowsOf& rows_of) const;
  // Whether x need not be gathered, since a single rank has all of it on the device.
  bool is_there(Vectors<const T> x) const { return comm_.size() == 1 && x.space == MemorySpace::device; }
  void begin_gather(Vectors<const T> x);
  void end_gather();
  void record_gather(double begin, double end) const;
  // y = this rank's rows of H times the gathered x.
  void multiply_gathered(Vectors<const T> x, Vectors<T> y, const std::function<void()>& between);
  void multiply_transposed(Op op, Vectors<const T> x, Vectors<T> y);
  void sum_parts(Index column, Vectors<T> y);

  mpi::Communicator comm_;
  ThreadPool& pool_;
  ClusterTree tree_;
  distribution::RowPartition partition_;
  LocalBlocks<T> local_;
  std::unique_ptr<device::GemvRunner<T>> product_;  // null: local_ computes them
  Statistics statistics_;
  engine::Recorder* recorder_ = nullptr;
  Index nrhs_ = 0;
  RowsOfRanks all_rows_, own_rows_;   // of whole_, and of parts_
  Buffer<T> whole_;                   // vectors of all rows
  std::vector<MPI_Request> gathers_;  // under way, by column
  Buffer<T> parts_;                   // this rank's rows of one vector from every rank
  Buffer<T> own_;                     // this rank's rows of x, conjugated
};

// ||(A - H) x|| / ||A||_F over about `rows` rows spread over the matrix, for an x of random signs: in
// expectation ||A - H||_F / ||A||_F of these rows. `kernel`: the matrix A. Collective; the same on every
// rank. Throws what the kernel throws, on every rank.
template <Scalar T>
double sampled_error(HMatrix<T>& matrix, const IntegralKernel<T>& kernel, Index rows);

}  // namespace trisweep::hmatrix
