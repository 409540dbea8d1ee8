#include "trisweep/solve/triangular_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/clock.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/plan/without_dependencies.hpp"
#include "trisweep/solve/broadcast.hpp"

namespace trisweep::solve {
namespace {

void check_options(const TriangularSolverOptions& options, Index ranks) {
  distribution::check_grid(options.grid, ranks);
  require_threads(options.threads);
  if (options.grain < 1 || options.tiling.width < 1 || options.tiling.least < 1)
    throw Error(ErrorKind::usage, "grain and tiles' widths must be positive");
  engine::require_device(options.device);
  if (!(options.compression.eps >= 0 && options.compression.eps < 1))
    throw Error(ErrorKind::usage, fmt::format("factors compressed to {}", options.compression.eps),
                "take a tolerance between 0 and 1");
  if (options.device != engine::Device::native && !options.dependencies)
    throw Error(ErrorKind::usage, "only the native engine runs plans without dependencies",
                "use --device native");
  if (options.threads == 1 || ranks == 1) return;
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided >= MPI_THREAD_SERIALIZED) return;
  throw Error(ErrorKind::usage, "several threads per rank need MPI calls from any of them",
              "start MPI with MPI_Init_thread and MPI_THREAD_SERIALIZED");
}

// By its row in the table: in another process the same function has another address.
template <class Row, class Choice>
std::string_view name_in(std::span<const Row> table, Choice choice) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.choice == choice; });
  return at == table.end() ? "one of the caller's" : at->name;
}

std::string_view name_of(const mpi::TransportFactory& factory) {
  const auto* make = factory.target<decltype(mpi::NamedTransport::make)>();
  const auto table = mpi::transports();
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return make && row.make == *make; });
  return at != table.end() ? at->name : make && *make == &mpi::make_usual ? "usual" : "one of the caller's";
}

constexpr std::size_t settings_of_solvers = 18;

// What two ranks that have messages for each other must agree about, or their results depend on.
template <class S, Scalar T>
std::array<mpi::Setting, settings_of_solvers> settings_of(const TriangularSolverOptions& o) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  return {
      {{"scalar type", fmt::format("{}{} bytes", is_complex<T> ? "complex, " : "", sizeof(T))},
       {"storage of panels", fmt::format("{} bytes", sizeof(S))},
       {"grid", o.grid.name()},
       {"mapping", o.mapping.name},
       {"tree", name_in(plan::trees(), o.tree)},
       {"schedule", name_in(plan::schedules(), o.schedule)},
       {"inter-grid exchange", name_in(plan::inter_grids(), o.inter_grid)},
       {"transport", name_of(o.transport)},
       {"device", text(static_cast<int>(o.device))},
       {"exchange of devices", o.exchange_backend ? text(static_cast<int>(*o.exchange_backend)) : "usual"},
       {"deterministic", text(o.deterministic)},
       {"dependencies", text(o.dependencies)},
       {"grain", text(o.grain)},
       {"compression", fmt::format("{}, {}", o.compression.eps, o.compression.most)},
       {"tile width", text(o.tiling.width)},
       {"least tile width", text(o.tiling.least)},
       {"rows", fmt::format("{}", fmt::join(o.rows.begin, ", "))},
       {"limits", fmt::format("{}, {}", o.limits.bytes, o.limits.tag)}}};
}

template <class S>
void check_factorization(const Factorization<S>* factorization, bool in_tiles) {
  if (factorization != nullptr && factorization->analysis && factorization->analysis->structure &&
      factorization->factors && (in_tiles || factorization->factors->bytes() > 0))
    return;
  throw Error(ErrorKind::usage, "rank 0 has no factorization to solve with",
              "pass what factor() returned on rank 0");
}

// The options, when they make sense and are those of all ranks.
template <Scalar T, class S>
TriangularSolverOptions agreed_options(const mpi::Communicator& comm, const TriangularSolverOptions& options,
                                       const Factorization<S>* factorization, bool in_tiles) {
  std::array<mpi::Setting, settings_of_solvers> settings;
  auto copy = mpi::agree_on_error(comm, [&] {
    check_options(options, comm.size());
    if (comm.rank() == 0) check_factorization(factorization, in_tiles);
    settings = settings_of<S, T>(options);
    return options;
  });
  mpi::require_same(comm, settings);
  return copy;
}

distribution::RowPartition partition_for(const distribution::RowPartition& given, Index rows, Index ranks) {
  if (given.begin.empty()) return distribution::even_partition(rows, ranks);
  if (std::ssize(given.begin) == ranks + 1 && given.rows() == rows) return given;
  throw Error(ErrorKind::usage,
              fmt::format("the row partition has {} ranks and {} rows, the solver {} ranks and {} rows",
                          given.begin.size() - 1, given.rows(), ranks, rows));
}

}  // namespace

void require_same_call(const mpi::Communicator& comm, Op op, Index nrhs) {
  const char name = static_cast<char>(op);
  mpi::require_same(comm, std::array<mpi::Setting, 2>{
                              {{"op", std::string_view(&name, 1)}, {"nrhs", fmt::format("{}", nrhs)}}});
}

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T> TriangularSolver<T>::TriangularSolver(
    MPI_Comm comm, std::shared_ptr<const Factorization<S>> factorization,
    const TriangularSolverOptions& options, std::shared_ptr<const MadeTiles<T>> tiles)
    : comm_(comm, options.limits),
      options_(agreed_options<T>(comm_, options, factorization.get(), tiles != nullptr)),
      source_(factorization ? factorization->analysis : nullptr),
      analysis_(broadcast_analysis(comm_, factorization ? factorization->analysis.get() : nullptr)),
      scaled_norm_one_(factorization ? factorization->scaled_norm_one : 0) {
  mpi::agree_on_error(comm_, [&] {
    distribution_ = {analysis_.structure, options.mapping, options.grid, options.tiling};
    partition_ = partition_for(options.rows, structure().n, comm_.size());
    local_blocks_ = distribution::make_local_blocks(structure(), mapping(), comm_.rank());
  });
  mpi::agree_on_error(comm_, [&] { pool_.emplace(options.threads); });
  fill(factorization, tiles.get());
  comm_.broadcast(scaled_norm_one_);
  mpi::agree_on_error(comm_, [&] {
    engine_ = engine::make_engine<T>({.comm = comm_,
                                      .pool = *pool_,
                                      .distribution = distribution_,
                                      .local_blocks = local_blocks_,
                                      .panels = panels_,
                                      .ordering = analysis_.ordering,
                                      .partition = partition_},
                                     {.device = options_.device,
                                      .exchange_backend = options_.exchange_backend,
                                      .transport = options_.transport,
                                      .watchdog = options_.watchdog});
  });
}

template <Scalar T>
template <class S>
void TriangularSolver<T>::fill(const std::shared_ptr<const Factorization<S>>& factorization,
                               const MadeTiles<T>* tiles) {
  compression_.reset();
  if (tiles == nullptr) {
    panels_ = engine::PanelStore<T>::template distribute<S>(comm_, distribution_, local_blocks_,
                                                            factorization ? factorization->factors : nullptr);
    return compress<S>();
  }
  mpi::agree_on_error(comm_, [&] {
    panels_ = tiles->panels;
    compression_ = compression_of(panels_, sizeof(S));
  });
  compression_->seconds = tiles->seconds;
}

template <Scalar T>
template <class S>
void TriangularSolver<T>::compress() {
  if (options_.compression.eps == 0) return;
  const auto start = Clock::now();
  CompressionReport report;
  auto tiles = mpi::agree_on_error(comm_, [&] {
    auto made = panels_.template compressed<S>(local_blocks_, options_.compression.eps, *pool_);
    report = compression_of(made, sizeof(S));
    return made;
  });
  report.seconds = comm_.max(seconds_since(start));
  comm_.sum(report.level_bytes);
  comm_.sum(report.uncompressed_level_bytes);
  const bool shorter = report.bytes() <= options_.compression.most * report.uncompressed_bytes();
  if (!shorter) return;
  panels_ = std::move(tiles);
  compression_ = std::move(report);
}

// Of this rank's pieces, without those that layers replicate.
template <Scalar T>
CompressionReport TriangularSolver<T>::compression_of(const engine::PanelStore<T>& panels,
                                                      std::size_t stored_bytes) const {
  const std::vector<Index> level = symbolic::levels(structure());
  CompressionReport report;
  report.level_bytes.resize(usize(structure().tree.levels) + 1);
  report.uncompressed_level_bytes = report.level_bytes;
  for (const distribution::Side side : distribution::sides) {
    const auto& part = local_blocks_.side(side);
    const auto bytes = panels.piece_bytes(side);
    for (std::size_t p = 0; p < bytes.size(); ++p) {
      const Index k = part.supernode[p];
      if (mapping().layers_of(k).first != local_blocks_.layer) continue;
      report.level_bytes[usize(level[usize(k)])] += double(bytes[p]);
      report.uncompressed_level_bytes[usize(level[usize(k)])] +=
          double(part.value_ptr[p + 1] - part.value_ptr[p]) * double(stored_bytes);
    }
  }
  return report;
}

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T>
bool TriangularSolver<T>::refill(std::shared_ptr<const Factorization<S>> factorization,
                                 std::shared_ptr<const MadeTiles<T>> tiles) {
  return mpi::revoke_on_error(comm_, [&] {
    char same = mpi::agree_on_error(comm_, [&] {
      if (comm_.rank() == 0) check_factorization(factorization.get(), tiles != nullptr);
      return char(factorization && factorization->analysis == source_);
    });
    comm_.broadcast(same);
    if (same == 0) return false;
    fill(factorization, tiles.get());
    engine_->panels_changed();
    if (factorization) scaled_norm_one_ = factorization->scaled_norm_one;
    comm_.broadcast(scaled_norm_one_);
    return true;
  });
}

template <Scalar T>
plan::Plan TriangularSolver<T>::make_plan(Op op) const {
  const bool ordered =
      options_.deterministic || options_.threads > 1 || options_.device != engine::Device::native;
  const plan::PlanSpec spec{.op = op,
                            .upper_is_lower = analysis_.kind == numeric::Kind::cholesky,
                            .tree = options_.tree,
                            .inter_grid = options_.inter_grid,
                            .vectors = std::make_shared<const plan::VectorPlaces>(
                                plan::vector_places(analysis_.ordering, partition_))};
  const auto phases = plan::describe(options_.schedule, structure(), mapping(), local_blocks_.layer, spec);
  plan::Plan plan = plan::make_plan(structure(), mapping(), local_blocks_, phases,
                                    {.ordered = ordered, .grain = options_.grain});
  if (!options_.dependencies) return plan::without_dependencies(std::move(plan));
  return plan;
}

template <Scalar T>
void TriangularSolver<T>::prepare(Op op, Index nrhs) {
  ++calls_;
  if (nrhs > 0 && engine_->room(op) >= nrhs) return comm_.skip_conditional(calls_);
  mpi::revoke_on_error(comm_, [&] {
    if (!plan_.empty()) comm_.conditional_barrier(calls_);  // before, no rank can be prepared
    require_same_call(comm_, op, nrhs);
    if (nrhs < 1)
      throw mpi::CollectiveError(ErrorKind::usage, fmt::format("a solve of {} right-hand sides", nrhs));
    mpi::agree_on_error(comm_, [&] {
      if (!plan_.contains(op)) plan_.emplace(op, make_plan(op));
    });
    engine_->prepare(op, plan_.at(op), nrhs);
  });
}

template <Scalar T>
void TriangularSolver<T>::solve(Op op, const engine::CallersVectors<T>& vectors) {
  mpi::revoke_on_error(comm_, [&] {
    if (vectors.rows.b.cols == 0)
      require_fit<T>(vectors.b, vectors.x, partition_.count(comm_.rank()), engine_->reaches_device());
    options_.observer->poll();
    const auto start = Clock::now();
    prepare(op, vectors.columns());
    last_ = engine_->run(op, vectors);
    last_.seconds = seconds_since(start);
  });
}

template <Scalar T>
void TriangularSolver<T>::start(Op op, Vectors<const T> b, Vectors<T> x, void* stream) {
  mpi::revoke_on_error(comm_, [&] {
    require_fit<T>(b, x, partition_.count(comm_.rank()), engine_->reaches_device());
    prepare(op, b.cols);
    engine_->start(op, {.b = b, .x = x}, stream);
  });
}

#define INSTANTIATE(T) template class TriangularSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                                                   \
  template TriangularSolver<T>::TriangularSolver(MPI_Comm, std::shared_ptr<const Factorization<S>>, \
                                                 const TriangularSolverOptions&,                    \
                                                 std::shared_ptr<const MadeTiles<T>>);              \
  template bool TriangularSolver<T>::refill(std::shared_ptr<const Factorization<S>>,                \
                                            std::shared_ptr<const MadeTiles<T>>);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::solve
