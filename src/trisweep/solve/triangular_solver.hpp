#pragma once
// Triangular solves with the factors L D U on a process grid, any number of times.

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/watchdog.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/plan/schedule.hpp"
#include "trisweep/solve/block_substitution.hpp"
#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/root_factors.hpp"

namespace trisweep::solve {

// Low-rank and reduced-precision storage of panels (docs/compression.md).
struct Compression {
  double eps = 0;   // relative error of each panel in the Frobenius norm; 0: uncompressed
  double most = 1;  // maximum ratio of compressed to uncompressed bytes; beyond it panels stay uncompressed

  // True if both are the same.
  bool operator==(const Compression&) const = default;
};

// The plan of a solver, one choice per axis, and its execution; the same on all ranks.
struct TriangularSolverOptions {
  distribution::ProcessGrid grid;  // Px x Py x Pz ranks, all of the communicator
  // Which rank owns which block (SC'23, section 3).
  distribution::NamedMapping mapping = distribution::find_mapping("block-cyclic");
  plan::Tree tree = plan::binary_tree;                  // of broadcasts and reductions within a layer
  plan::Schedule schedule = plan::single_sync;          // when layers exchange (SC'23, Algorithm 1)
  plan::InterGrid inter_grid = plan::sparse_allreduce;  // how layers exchange (SC'23, Algorithm 2)
  mpi::TransportFactory transport = mpi::make_usual;    // transport of messages
  // All devices except `native` add contributions in a fixed order, and exchange segments without MPI.
  engine::Device device = engine::Device::native;
  std::optional<device::ExchangeBackend> exchange_backend{};  // between devices, see engine::EngineOptions
  // Threads of a rank. More than one needs MPI_THREAD_SERIALIZED, unless there is only one rank.
  int threads = 1;
  // Adds contributions in a fixed order: bitwise equal results over runs, transports and threads on one grid.
  bool deterministic = false;
  // False: segments do not wait for their contributions. The same messages and work but meaningless results,
  // to measure the cost of the dependencies (2018 paper, section 2.2 and Table 1).
  bool dependencies = true;
  // Seconds without progress after which a solve throws Error(environment), naming the missing messages.
  double watchdog = usual_watchdog;
  // Panel entries per task, with several threads or on a device. Unset: chosen by plan/grain.hpp.
  std::optional<Offset> grain{};
  distribution::Tiling tiling{};            // of wide supernodes
  distribution::RowPartition rows{};        // of b and x; empty: even blocks
  mpi::Limits limits{};                     // smaller in tests only
  Compression compression{};                // of panels
  Observer* observer = &silent_observer();  // polled before each sweep
};

// Bytes of the factors by level of the separator tree, from the root; replicated panels count once.
struct CompressionReport {
  std::vector<double> level_bytes;               // as they are stored
  std::vector<double> uncompressed_level_bytes;  // without compression
  double seconds = 0;                            // of compressing, on the slowest rank

  // Bytes of all levels.
  double bytes() const { return std::reduce(level_bytes.begin(), level_bytes.end()); }
  // Bytes of all levels, without compression.
  double uncompressed_bytes() const {
    return std::reduce(uncompressed_level_bytes.begin(), uncompressed_level_bytes.end());
  }
};

// Panels that were compressed during the factorization, on a single rank.
template <Scalar T>
struct MadeTiles {
  engine::PanelStore<T> panels;  // of the whole matrix, in tiles
  double seconds = 0;            // of compressing
};

// A collective object: every rank of the communicator constructs one with the same options, calls the same
// methods in the same order with the same op and nrhs, and destroys it. Errors of the constructor and of
// prepare() are thrown on every rank; an error of prepare() leaves the solver unchanged. An error of solve()
// is thrown on every rank that takes part or calls later, and revokes the object (mpi/fault_state.hpp), which
// can then only be destroyed.
template <Scalar T>
class TriangularSolver {
 public:
  // `factors`: in T or in lower precision S, the same on all ranks: panels are stored in S, vectors and sums
  // are in T. `tiles`: on a single rank, the compressed panels, if `factors` has no panels. `comm`: that of a
  // larger object, whose messages and fault state the solver shares. Throws Error(usage) when the grid does
  // not fit the ranks, options differ among ranks or there are no factors.
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(mpi::Communicator comm, FactorSource<S>& factors,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr);
  // The same for a `factorization` on rank 0 (others: ignored, may be null).
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(mpi::Communicator comm,
                                                     std::shared_ptr<const Factorization<S>> factorization,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr)
      : TriangularSolver(std::move(comm), RootFactors<S>(std::move(factorization)), options,
                         std::move(tiles)) {}
  // The same on a communicator of the caller, which is duplicated.
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(MPI_Comm comm,
                                                     std::shared_ptr<const Factorization<S>> factorization,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr)
      : TriangularSolver(mpi::Communicator(comm, options.limits, options.watchdog), std::move(factorization),
                         options, std::move(tiles)) {}
  TriangularSolver(const TriangularSolver&) = delete;
  TriangularSolver& operator=(const TriangularSolver&) = delete;

  // Replaces the values by those of other factors with the same analysis; plans and buffers are reused.
  // Returns false, and changes nothing, if the analysis differs. Collective; `factors` in any S, `tiles` of
  // the same tolerance. Throws as the source of the factors does; an error of one rank revokes the solver.
  template <class S>
  requires kernels::StorageOf<S, T>
  bool refill(FactorSource<S>& factors, std::shared_ptr<const MadeTiles<T>> tiles = nullptr);
  // The same for a `factorization` on rank 0 (others: ignored, may be null).
  template <class S>
  requires kernels::StorageOf<S, T>
  bool refill(std::shared_ptr<const Factorization<S>> factorization) {
    RootFactors<S> factors(std::move(factorization));
    return refill(factors);
  }

  // Adds the off-diagonal blocks, `coupling`, of a matrix whose diagonal blocks the factors are of: further
  // solves are with the whole matrix. To be called again after values change; `coupling` must outlive the
  // solver. Collective; for the host engine only. Throws Error(environment), and revokes the solver, when
  // memory does not suffice.
  void couple(Coupling<T>& coupling);

  // Makes the plan of `op` and allocates for `nrhs` >= 1 right-hand sides; solves of op with at most `nrhs`
  // then allocate nothing. solve() calls it when needed. Collective.
  // Throws Error(usage) when ranks differ in op, nrhs or plans.
  void prepare(Op op, Index nrhs);

  // Solves op(A) x = b. `vectors`: this rank's rows of b and x under partition(), which may be the same
  // memory. Row-major vectors are for the host only; x may be some columns of wider row-major vectors. Throws
  // Error(usage) when the vectors do not fit, Error(environment) when the watchdog's time has passed.
  void solve(Op op, const engine::CallersVectors<T>& vectors);
  // The same for column-major b and x: this rank's rows by right-hand sides.
  void solve(Op op, Vectors<const T> b, Vectors<T> x) { solve(op, {.b = b, .x = x}); }
  // The same by a pruned plan, which leaves out whole supernodes: b is zero outside of pruning.forward, and x
  // is written only in pruning.backward. The last pruned plan is kept for further solves. With a coupling,
  // the solve is not pruned.
  void solve(Op op, const plan::Pruning& pruning, const engine::CallersVectors<T>& vectors);
  // Returns the supernodes that some equations of op(A) x = b reach. `rows`: their local numbers on this
  // rank, from 0, not checked. Collective. Throws as every collective function does.
  plan::SupernodeSet reach_of_equations(Op op, std::span<const Index> rows) const {
    return reach(equations_new(op), rows);
  }
  // The same for the unknowns `rows`.
  plan::SupernodeSet reach_of_unknowns(Op op, std::span<const Index> rows) const {
    return reach(op == Op::none ? analysis_->ordering.col_new : analysis_->ordering.row_new, rows);
  }
  // Returns the position in the elimination order of this rank's equation `row`, from 0, of op(A) x = b.
  Index position_of_equation(Op op, Index row) const {
    return equations_new(op)[usize(partition_.first(comm_.rank()) + row)];
  }
  // Returns the entries of panels read with the last pruned plan, over all ranks, relative to those read with
  // the whole plan; 1 before the first pruned solve.
  double pruned_share() const { return pruned_ ? pruned_->share : 1; }
  // Solves op(A) x = b in a `stream` of the device (a cudaStream_t or hipStream_t; null: the default stream).
  // b, x: this rank's rows; if they do not fit, throws Error(usage) and revokes the solver. With b and x in
  // the device's memory, after prepare(), it neither waits nor allocates: the solution is ready in stream
  // order. Synchronous except on a GPU.
  void start(Op op, Vectors<const T> b, Vectors<T> x, void* stream);

  // Throws Error(usage) unless b and x have this rank's rows, equal numbers of columns, and lie in memory
  // that the solver reaches.
  void require_fit(Vectors<const T> b, Vectors<const T> x) const;
  // True if vectors may be in device memory.
  bool reaches_device() const { return engine_->reaches_device(); }
  // Copies vectors `from` device or host memory `to` the other, with equal numbers of rows and columns.
  // Throws Error(environment) when the device reports an error.
  void copy(Vectors<T> to, Vectors<const T> from) const { engine_->copy(to, from); }
  // See engine::Engine::refinement (throws the same); for a prepared op and at most `nrhs` columns.
  std::unique_ptr<engine::Refinement<T>> refinement(Op op, const device::ResidualSystem<T>& of,
                                                    const plan::VectorPhase& columns, Index nrhs) {
    return engine_->refinement(plan(op), of, columns, nrhs);
  }

  // The solver's own communicator.
  const mpi::Communicator& comm() const { return comm_; }
  // Which rows of b and x each rank has.
  const distribution::RowPartition& partition() const { return partition_; }
  // The scale factor of each of this rank's equations of op(A) x = b: of rows of A, or of columns for the
  // transposes. Throws nothing.
  std::span<const double> equation_scale(Op op) const {
    if (substitution_) return substitution_->coupling().equation_scale(op);
    const auto& order = analysis_->ordering;
    const auto& whole = op == Op::none ? order.row_scale : order.col_scale;
    return std::span(whole).subspan(usize(partition_.first(comm_.rank())),
                                    usize(partition_.count(comm_.rank())));
  }
  // The structure as distributed, with wide supernodes tiled.
  const symbolic::Structure& structure() const { return *distribution_.structure; }
  // The blocks and segments of this rank.
  const distribution::LocalBlocks& local_blocks() const { return local_blocks_; }
  // The plan of a prepared op, without a coupling; otherwise throws std::out_of_range.
  const plan::Plan& plan(Op op) const { return plan_.at(op); }
  // Times and traffic of this rank's last solve.
  const engine::SolveProfile& last() const { return last_; }
  // Adds records of further solves to `recorder`, which must outlive them and have room for threads()
  // threads; null: stops recording. Throws nothing.
  void record_in(engine::Recorder* recorder) { engine_->record_in(recorder); }
  // The options as given.
  const TriangularSolverOptions& options() const { return options_; }
  // Number of threads of this rank.
  int threads() const { return options_.threads; }
  // This rank's threads, available between solves.
  ThreadPool& pool() { return *pool_; }
  // Reports an error of this rank alone in a collective operation with the solver (mpi/fault_state.hpp).
  void revoke(const mpi::Failure& failure) const noexcept { comm_.revoke(failure); }
  // LU, Cholesky or L D L^T.
  numeric::Kind kind() const { return analysis_->kind; }
  // True if the factors are those of the matrix's diagonal blocks, see couple().
  bool is_coupled() const { return substitution_.has_value(); }
  // Bytes of this rank's panels, as stored.
  std::size_t panel_bytes() const { return panels_.bytes(); }
  // The 1-norm of the scaled matrix.
  double scaled_norm_one() const { return scaled_norm_one_; }
  // The result of compression over all ranks; unset for uncompressed factors.
  const std::optional<CompressionReport>& compression() const { return compression_; }

 private:
  template <class S>
  TriangularSolver(mpi::Communicator comm, RootFactors<S> factors, const TriangularSolverOptions& options,
                   std::shared_ptr<const MadeTiles<T>> tiles)
      : TriangularSolver(std::move(comm), static_cast<FactorSource<S>&>(factors), options, std::move(tiles)) {
  }
  template <class S>
  void fill(FactorSource<S>& factors, const MadeTiles<T>* tiles);
  template <class S>
  void compress();
  CompressionReport compression_of(const engine::PanelStore<T>& panels, std::size_t stored_bytes) const;
  const distribution::Mapping& mapping() const { return *distribution_.mapping; }
  std::shared_ptr<const plan::VectorPlaces> vector_places() const;
  plan::Plan make_plan(Op op, std::shared_ptr<const plan::VectorPlaces> places,
                       const plan::Pruning& pruning = {}) const;
  // Number of right-hand sides that op is prepared for.
  Index room(Op op) const {
    if (substitution_) return substitution_->room(op);
    const auto found = plan_.find(op);
    return found == plan_.end() ? 0 : engine_->room(found->second);
  }
  void prepare_pruned(Op op, const plan::Pruning& pruning, Index nrhs);
  const std::vector<Index>& equations_new(Op op) const {
    return op == Op::none ? analysis_->ordering.row_new : analysis_->ordering.col_new;
  }
  plan::SupernodeSet reach(const std::vector<Index>& row_new, std::span<const Index> rows) const;

  mpi::Communicator comm_;
  TriangularSolverOptions options_;
  std::shared_ptr<const Analysis> analysis_;
  std::shared_ptr<const void> analysis_key_;
  double scaled_norm_one_ = 0;
  distribution::RowPartition partition_;
  distribution::Distribution distribution_;
  distribution::LocalBlocks local_blocks_;
  engine::PanelStore<T> panels_;
  std::optional<CompressionReport> compression_;
  std::optional<ThreadPool> pool_;
  std::map<Op, plan::Plan> plan_;
  struct Pruned {
    plan::Pruning pruning;
    plan::Plan plan;
    double share = 1;
  };
  std::unique_ptr<Pruned> pruned_;  // the last pruned plan
  std::unique_ptr<engine::Engine<T>> engine_;
  std::optional<BlockSubstitution<T>> substitution_;
  engine::SolveProfile last_;
};

}  // namespace trisweep::solve
