#pragma once
// Solves with the factors L D U on a grid of ranks, any number of times.

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

  // Whether both are the same.
  bool operator==(const Compression&) const = default;
};

// The plan that a solver runs, one choice on each axis, and how; the same on all ranks.
struct TriangularSolverOptions {
  distribution::ProcessGrid grid;  // Px x Py x Pz ranks, all of the communicator
  // Which rank owns which block (SC'23, section 3).
  distribution::NamedMapping mapping = distribution::find_mapping("block-cyclic");
  plan::Tree tree = plan::binary_tree;                  // of broadcasts and reductions within a layer
  plan::Schedule schedule = plan::single_sync;          // when layers exchange (SC'23, Algorithm 1)
  plan::InterGrid inter_grid = plan::sparse_allreduce;  // how they do (SC'23, Algorithm 2)
  mpi::TransportFactory transport = mpi::make_usual;    // how messages travel
  // Any device but `native` adds contributions in a fixed order, and exchanges segments without MPI.
  engine::Device device = engine::Device::native;
  std::optional<device::ExchangeBackend> exchange_backend{};  // of a device, see engine::EngineOptions
  // Threads of a rank. More than one needs MPI_THREAD_SERIALIZED, unless there is only one rank.
  int threads = 1;
  // Adds contributions in a fixed order: bitwise equal results over runs, transports and threads on one grid.
  bool deterministic = false;
  // False: segments do not wait for their contributions. The same messages and work, meaningless results: the
  // cost of the dependencies (2018 paper, section 2.2 and Table 1).
  bool dependencies = true;
  // Seconds without progress after which a solve throws Error(environment), with the messages it waits for.
  double watchdog = usual_watchdog;
  // Panel entries of a task, with several threads or on a device. Unset: as plan/grain.hpp has it.
  std::optional<Offset> grain{};
  distribution::Tiling tiling{};            // of wide supernodes
  distribution::RowPartition rows{};        // of the rows of b and x; empty: even blocks
  mpi::Limits limits{};                     // smaller in tests only
  Compression compression{};                // of panels
  Observer* observer = &silent_observer();  // polled before each sweep
};

// Bytes of the factors by level of the separator tree, from the root; replicated panels count once.
struct CompressionReport {
  std::vector<double> level_bytes;               // as they are stored
  std::vector<double> uncompressed_level_bytes;  // without compression
  double seconds = 0;                            // of the slowest rank

  // Of all levels.
  double bytes() const { return std::reduce(level_bytes.begin(), level_bytes.end()); }
  // Of all levels, without compression.
  double uncompressed_bytes() const {
    return std::reduce(uncompressed_level_bytes.begin(), uncompressed_level_bytes.end());
  }
};

// Panels that were compressed while they were factored.
template <Scalar T>
struct MadeTiles {
  engine::PanelStore<T> panels;  // of the whole matrix, in tiles
  double seconds = 0;            // that compressing took
};

// Collective objects: every rank of the communicator constructs one with the same options, calls the same
// methods in the same order with the same op and nrhs, and destroys it. Errors of the constructor and of
// prepare() are thrown on every rank alike, and after one of prepare() the solver is as before. One of
// solve() is thrown on every rank that takes part or comes later, and leaves the object revoked
// (mpi/fault_state.hpp): it can be destroyed, and nothing else.
template <Scalar T>
class TriangularSolver {
 public:
  // `factors`: in T or of lower precision, the same S on all ranks: panels are stored as S, vectors and sums
  // are of T. `tiles`: on a rank that is alone, in the place of panels that the factors do not have. Throws
  // Error(usage) when the grid does not fit the ranks, options differ among them or there are no factors.
  // With a Communicator: part of an object, whose messages and fault state it shares.
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(mpi::Communicator comm, FactorSource<S>& factors,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr);
  // `factorization`: on rank 0 (others: ignored, may be null).
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(mpi::Communicator comm,
                                                     std::shared_ptr<const Factorization<S>> factorization,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr)
      : TriangularSolver(std::move(comm), RootFactors<S>(std::move(factorization)), options,
                         std::move(tiles)) {}
  // The same on a communicator of the caller's, which is duplicated.
  template <class S>
  requires kernels::StorageOf<S, T> TriangularSolver(MPI_Comm comm,
                                                     std::shared_ptr<const Factorization<S>> factorization,
                                                     const TriangularSolverOptions& options,
                                                     std::shared_ptr<const MadeTiles<T>> tiles = nullptr)
      : TriangularSolver(mpi::Communicator(comm, options.limits, options.watchdog), std::move(factorization),
                         options, std::move(tiles)) {}
  TriangularSolver(const TriangularSolver&) = delete;
  TriangularSolver& operator=(const TriangularSolver&) = delete;

  // Takes the values of other factors with the same analysis; plans and buffers are reused. False, with
  // nothing changed, for another analysis. Collective; `factors` of any S, `tiles` of the same tolerance.
  // Throws as the source of the factors does; an error of one rank alone revokes the solver.
  template <class S>
  requires kernels::StorageOf<S, T>
  bool refill(FactorSource<S>& factors, std::shared_ptr<const MadeTiles<T>> tiles = nullptr);
  // The same of the factors that rank 0 has, `factorization` (others: ignored, may be null).
  template <class S>
  requires kernels::StorageOf<S, T>
  bool refill(std::shared_ptr<const Factorization<S>> factorization) {
    RootFactors<S> factors(std::move(factorization));
    return refill(factors);
  }

  // The factors are those of the diagonal blocks of a matrix, and `coupling`, which outlives the solver, has
  // the off-diagonal ones: solves are of the whole matrix from here on. Again when values have changed.
  // Collective. For the engine of the host. Throws Error(environment) when memory does not suffice, and is
  // revoked then.
  void couple(Coupling<T>& coupling);

  // Makes the plan of `op` and allocates for `nrhs` >= 1 right-hand sides; solves of op with at most as many
  // then allocate nothing. Collective. solve() does so when needed.
  // Throws Error(usage) when ranks differ in op, nrhs or plans.
  void prepare(Op op, Index nrhs);

  // op(A) x = b. `vectors`: of each rank its rows of b and x under partition(), which may be the same memory.
  // Throws Error(usage) when they are not such, Error(environment) after the watchdog's time. Vectors that
  // lie in rows are for the processors; x may have other columns beside these.
  void solve(Op op, const engine::CallersVectors<T>& vectors);
  // The same of columns b and x: this rank's rows by right-hand sides.
  void solve(Op op, Vectors<const T> b, Vectors<T> x) { solve(op, {.b = b, .x = x}); }
  // The same by a plan that is pruned, which panels' tiles, kernels and messages are not: b is zero outside
  // of pruning.forward, and x is written in pruning.backward alone. The last such plan is kept for more
  // solves. With a coupling, the solve is a whole one.
  void solve(Op op, const plan::Pruning& pruning, const engine::CallersVectors<T>& vectors);
  // The supernodes that some equations of op(A) x = b reach: `rows` of this rank by its own numbers, from 0,
  // which are not checked. Collective. Throws as every collective function does.
  plan::SupernodeSet reach_of_equations(Op op, std::span<const Index> rows) const {
    return reach(equations_new(op), rows);
  }
  // The same of the unknowns `rows`.
  plan::SupernodeSet reach_of_unknowns(Op op, std::span<const Index> rows) const {
    return reach(op == Op::none ? analysis_->ordering.col_new : analysis_->ordering.row_new, rows);
  }
  // When the elimination comes to this rank's equation `row`, from 0, of op(A) x = b.
  Index position_of_equation(Op op, Index row) const {
    return equations_new(op)[usize(partition_.first(comm_.rank()) + row)];
  }
  // Of the panels' entries that all ranks read in a solve with a whole plan, the share that they read with
  // the last pruned one. After a pruned solve only.
  double pruned_share() const { return pruned_ ? pruned_->share : 1; }
  // op(A) x = b in a `stream` of the device (a cudaStream_t or hipStream_t; null: its usual one): b, x are
  // this rank's rows. Throws Error(usage) when they are not such, which revokes the solver. With b and x in
  // the device's memory, and prepare()d, it neither waits nor allocates: the solution is ready in stream
  // order. Synchronous except on a GPU.
  void start(Op op, Vectors<const T> b, Vectors<T> x, void* stream);

  // Throws Error(usage) when b and x are not this rank's rows of as many right-hand sides as solutions, where
  // they can be reached.
  void require_fit(Vectors<const T> b, Vectors<const T> x) const;
  // Whether vectors may be in device memory.
  bool reaches_device() const { return engine_->reaches_device(); }
  // Copies columns `from` device or host memory `to` the other, of as many rows and columns. Throws
  // Error(environment) when the device reports an error.
  void copy(Vectors<T> to, Vectors<const T> from) const { engine_->copy(to, from); }
  // See engine::Engine::refinement; for an op that was prepared, and at most `nrhs` right-hand sides. Throws
  // as that does.
  std::unique_ptr<engine::Refinement<T>> refinement(Op op, const device::ResidualSystem<T>& of,
                                                    const plan::VectorPhase& columns, Index nrhs) {
    return engine_->refinement(plan(op), of, columns, nrhs);
  }

  // The solver's own communicator.
  const mpi::Communicator& comm() const { return comm_; }
  // Which rows of b and x each rank has.
  const distribution::RowPartition& partition() const { return partition_; }
  // The scaling of this rank's equations of op(A) x = b, a factor for each: rows of A, or columns for its
  // transposes. Throws nothing.
  std::span<const double> equation_scale(Op op) const {
    if (substitution_) return op == Op::none ? substitution_->row_scale() : substitution_->col_scale();
    const auto& order = analysis_->ordering;
    const auto& whole = op == Op::none ? order.row_scale : order.col_scale;
    return std::span(whole).subspan(usize(partition_.first(comm_.rank())),
                                    usize(partition_.count(comm_.rank())));
  }
  // As distributed: in tiles.
  const symbolic::Structure& structure() const { return *distribution_.structure; }
  // The blocks and segments of this rank.
  const distribution::LocalBlocks& local_blocks() const { return local_blocks_; }
  // For an op that was prepared, without a coupling; else throws std::out_of_range.
  const plan::Plan& plan(Op op) const { return plan_.at(op); }
  // Times and traffic of this rank's last solve.
  const engine::SolveProfile& last() const { return last_; }
  // Records further solves in `recorder` (adding to it), which outlives them and has room for threads()
  // threads; null: stops. Throws nothing.
  void record_in(engine::Recorder* recorder) { engine_->record_in(recorder); }
  // As they were given.
  const TriangularSolverOptions& options() const { return options_; }
  // Of this rank.
  int threads() const { return options_.threads; }
  // This rank's threads, available between solves.
  ThreadPool& pool() { return *pool_; }
  // Reports an error of this rank alone in a collective operation with the solver (mpi/fault_state.hpp).
  void revoke(const mpi::Failure& failure) const noexcept { comm_.revoke(failure); }
  // LU, Cholesky or L D L^T.
  numeric::Kind kind() const { return analysis_->kind; }
  // Whether the factors are of the matrix's diagonal blocks, see couple().
  bool is_coupled() const { return substitution_.has_value(); }
  // Of this rank's panels, as they are stored.
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
  plan::Plan make_plan(Op op, const plan::Pruning& pruning = {}) const;
  // Of right-hand sides that op is prepared for.
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
  std::unique_ptr<Pruned> pruned_;  // the last one
  std::unique_ptr<engine::Engine<T>> engine_;
  std::optional<BlockSubstitution<T>> substitution_;
  engine::SolveProfile last_;
};

}  // namespace trisweep::solve
