#pragma once
// A matrix with low-rank blocks (Hackbusch 1999): of n points whose kernel is smooth away from itself, in
// memory and time for a product of about n log n.
//
// Vectors are in the tree's order. Each rank has its rows of A, contiguous, cut where the bytes stored are
// about equal, and of vectors the same rows. A product gathers x on every rank (one all-gather) and then sums
// this rank's rows; it is a krylov::LinearOperator.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"
#include "trisweep/hmatrix/device_product.hpp"
#include "trisweep/hmatrix/local_blocks.hpp"
#include "trisweep/krylov/linear_operator.hpp"

namespace trisweep::hmatrix {

// Over all ranks.
struct Statistics {
  Offset stored_values = 0;
  Offset bytes = 0;            // with what ranks hold several times
  Offset bytes_max = 0;        // of the rank with most of them
  double bytes_balance = 1;    // these over the mean of the ranks
  Offset low_rank_blocks = 0;  // each once
  Offset dense_blocks = 0;
  double mean_rank = 0;  // of the low-rank blocks
  Index max_rank = 0;
  std::vector<Offset> blocks_of_rank;  // low-rank blocks of rank 0, 1, ...
  double assembly_seconds = 0;
};

template <Scalar T>
class HMatrix {
 public:
  // Deals the rows of the blocks out: by bytes, or as another matrix has them that is cut into the same
  // row blocks. Collective; throws on every rank when any runs out of memory. The thread pool outlives it.
  HMatrix(const mpi::ParallelContext& context, CompressedBlocks<T> blocks,
          const distribution::RowPartition* as = nullptr);
  // Of compress_blocks(), which may throw as well.
  HMatrix(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel, ClusterTree tree,
          const HMatrixOptions& options, Observer& observer = silent_observer());
  ~HMatrix();  // revoked, it leaves the memory that messages may still be written to as it is
  HMatrix(const HMatrix&) = delete;
  HMatrix& operator=(const HMatrix&) = delete;

  // y = op(A) x; each rank passes its rows of both, which have no memory in common. For op N they may be in
  // the memory of the device that makes products: what is gathered goes by way of the host's. The bits of y
  // are then the same whatever the number of ranks and threads; for the others that of the ranks decides in
  // which order parts are summed. Collective; an error leaves the matrix revoked (mpi/fault_state.hpp).
  void apply(Op op, Vectors<const T> x, Vectors<T> y);
  void operator()(Vectors<const T> x, Vectors<T> y) { apply(Op::none, x, y); }
  // y = A x, and `work` while x is gathered.
  void operator()(Vectors<const T> x, Vectors<T> y, const krylov::Meanwhile& work);

  // Products of op N are made there from now on, or by what `make` makes of this rank's. Collective; throws
  // on every rank where one has no such device.
  void use_device(engine::Device device);
  using ProductMaker =
      std::function<std::unique_ptr<device::GemvRunner<T>>(const device::GemvTasks& tasks, ThreadPool& pool)>;
  void use_product(const ProductMaker& make);
  bool reaches_device() const { return product_ != nullptr; }

  // Records all-gathers (in the row of the thread behind the thread pool's), the products behind them, and
  // what is done meanwhile. Null: nothing. It outlives this.
  void record_in(engine::Recorder* recorder) { recorder_ = recorder; }

  const ClusterTree& tree() const { return tree_; }
  const distribution::RowPartition& partition() const { return partition_; }
  Index local_rows() const { return partition_.count(comm_.rank()); }
  // This rank's products as a device would make them. As long as this lives.
  device::GemvTasks device_tasks() const { return local_.device_tasks(); }
  const Statistics& statistics() const { return statistics_; }
  const mpi::Communicator& comm() const { return comm_; }
  ThreadPool& pool() const { return pool_; }

 private:
  void deal_out(CompressedBlocks<T> blocks, const distribution::RowPartition* as);
  void count(const CompressedBlocks<T>& blocks);
  void count_local();
  void reserve(Index nrhs);
  // What MPI reads as long as a collective of its is under way: of each rank's rows in a message.
  struct BytesOfRanks {
    Buffer<int> count, begin;
  };
  // rows_of(rank): how many rows, and the first.
  template <class RowsOf>
  BytesOfRanks bytes_of_ranks(const RowsOf& rows_of) const;
  // Whether x need not be gathered, since one rank has all of it where its products are made.
  bool is_there(Vectors<const T> x) const { return comm_.size() == 1 && x.space == MemorySpace::device; }
  void begin_gather(Vectors<const T> x);
  void end_gather();
  void record_gather(double begin, double end) const;
  // y = this rank's rows of H times what has been gathered of x.
  void multiply_gathered(Vectors<const T> x, Vectors<T> y, const std::function<void()>& between);
  void multiply_transposed(Op op, Vectors<const T> x, Vectors<T> y);
  void sum_parts(Index column, Vectors<T> y);

  mpi::Communicator comm_;
  ThreadPool& pool_;
  ClusterTree tree_;
  distribution::RowPartition partition_;
  LocalBlocks<T> local_;
  std::unique_ptr<device::GemvRunner<T>> product_;  // none: local_ makes them
  Statistics statistics_;
  engine::Recorder* recorder_ = nullptr;
  Index nrhs_ = 0;
  BytesOfRanks all_rows_, own_rows_;  // of whole_, and of parts_
  Buffer<T> whole_;                   // vectors of all rows
  std::vector<MPI_Request> gathers_;  // under way, by column
  Buffer<T> parts_;                   // this rank's rows of one vector from every rank
  Buffer<T> own_;                     // this rank's rows of x: conjugated, or from the device
};

// ||(A - H) x|| / ||A x|| over about `rows` rows spread over the matrix, for an x of random signs: what is
// left of ||A - H||_F / ||A||_F in expectation. Collective; the same on every rank.
template <Scalar T>
double sampled_error(HMatrix<T>& matrix, const IntegralKernel<T>& kernel, Index rows);

}  // namespace trisweep::hmatrix
