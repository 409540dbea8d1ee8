#include "trisweep/solve/triangular_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/clock.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/plan/without_dependencies.hpp"
#include "trisweep/solve/agreed_call.hpp"

namespace trisweep::solve {
namespace {

void check_options(const TriangularSolverOptions& options, Index ranks) {
  distribution::check_grid(options.grid, ranks);
  require_threads(options.threads);
  require_watchdog(options.watchdog);
  if (options.grain.value_or(0) < 0 || options.tiling.width < 1 || options.tiling.least < 1)
    throw Error(ErrorKind::usage, "grain must not be negative, tiles' widths positive");
  engine::require_device(options.device);
  if (!(options.compression.eps >= 0 && options.compression.eps < 1))
    throw Error(ErrorKind::usage, fmt::format("factors compressed to {}", options.compression.eps),
                "take a tolerance between 0 and 1");
  if (options.device != engine::Device::native && !options.dependencies)
    throw Error(ErrorKind::usage, "only the native engine runs plans without dependencies",
                "use --device native");
  if (options.threads == 1 || ranks == 1 || mpi::threads_take_turns()) return;
  throw Error(ErrorKind::usage, "several threads per rank need MPI calls from any of them",
              "start MPI with MPI_Init_thread and MPI_THREAD_SERIALIZED");
}

// The name of a choice in its table, since a function's address differs between processes.
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

constexpr std::size_t settings_of_solvers = 21;

// Options in which ranks must agree because their messages or results depend on them.
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
       {"threads", text(o.threads)},
       {"watchdog", text(o.watchdog)},
       {"dependencies", text(o.dependencies)},
       {"grain", o.grain ? text(*o.grain) : "usual"},
       {"compression", fmt::format("{}, {}", o.compression.eps, o.compression.most)},
       {"tile width", text(o.tiling.width)},
       {"least tile width", text(o.tiling.least)},
       {"tiles on one rank", text(o.tiling.on_one_rank)},
       {"rows", fmt::format("{}", fmt::join(o.rows.begin, ", "))},
       {"limits", fmt::format("{}, {}", o.limits.bytes, o.limits.tag)}}};
}

// Returns the options after checking that they are valid and equal on all ranks.
template <Scalar T, class S>
TriangularSolverOptions agreed_options(const mpi::Communicator& comm,
                                       const TriangularSolverOptions& options) {
  std::array<mpi::Setting, settings_of_solvers> settings;
  auto copy = mpi::agree_on_error(comm, [&] {
    check_options(options, comm.size());
    settings = settings_of<S, T>(options);
    return options;
  });
  mpi::require_same(comm, settings);
  comm.watch(copy.watchdog);
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

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T> TriangularSolver<T>::TriangularSolver(
    mpi::Communicator comm, FactorSource<S>& factors, const TriangularSolverOptions& options,
    std::shared_ptr<const MadeTiles<T>> tiles)
    : comm_(std::move(comm)),
      options_(agreed_options<T, S>(comm_, options)),
      analysis_(factors.analysis(comm_)),
      analysis_key_(factors.analysis_key(comm_)) {
  mpi::agree_on_error(comm_, [&] {
    distribution_ = {analysis_->structure, options.mapping, options.grid, options.tiling};
    partition_ = partition_for(options.rows, structure().n, comm_.size());
    local_blocks_ = distribution::make_local_blocks(structure(), mapping(), comm_.rank());
  });
  mpi::agree_on_error(comm_, [&] { pool_.emplace(options.threads); });
  fill(factors, tiles.get());
  mpi::agree_on_error(comm_, [&] {
    engine_ = engine::make_engine<T>({.comm = comm_,
                                      .pool = *pool_,
                                      .distribution = distribution_,
                                      .local_blocks = local_blocks_,
                                      .panels = panels_,
                                      .ordering = analysis_->ordering,
                                      .partition = partition_},
                                     {.device = options_.device,
                                      .exchange_backend = options_.exchange_backend,
                                      .transport = options_.transport,
                                      .watchdog = options_.watchdog});
  });
}

template <Scalar T>
template <class S>
void TriangularSolver<T>::fill(FactorSource<S>& factors, const MadeTiles<T>* tiles) {
  scaled_norm_one_ = factors.scaled_norm_one(comm_);
  compression_.reset();
  if (tiles == nullptr) {
    panels_ = engine::PanelStore<T>(factors.panels(comm_, distribution_, local_blocks_));
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

// Report on this rank's pieces; replicas in other layers are not counted.
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
bool TriangularSolver<T>::refill(FactorSource<S>& factors, std::shared_ptr<const MadeTiles<T>> tiles) {
  return mpi::revoke_on_error(comm_, [&] {
    const bool differs = factors.analysis_key(comm_) != analysis_key_;
    if (comm_.max(double(differs)) > 0) return false;
    fill(factors, tiles.get());
    engine_->panels_changed();
    return true;
  });
}

template <Scalar T>
void TriangularSolver<T>::couple(Coupling<T>& coupling) {
  mpi::revoke_on_error(comm_, [&] {
    if (!substitution_) substitution_.emplace(coupling, *pool_, *engine_);
    scaled_norm_one_ = coupling.scaled_norm_one;
  });
}

template <Scalar T>
std::shared_ptr<const plan::VectorPlaces> TriangularSolver<T>::vector_places() const {
  return std::make_shared<const plan::VectorPlaces>(plan::vector_places(analysis_->ordering, partition_));
}

template <Scalar T>
plan::Plan TriangularSolver<T>::make_plan(Op op, std::shared_ptr<const plan::VectorPlaces> places,
                                          const plan::Pruning& pruning) const {
  const bool on_device = options_.device != engine::Device::native;
  const bool ordered = options_.deterministic || options_.threads > 1 || on_device;
  const auto usual_grain = [&] {
    if (on_device) return plan::grain_of_gpus;
    return ordered ? plan::task_grain(structure()) : plan::grain_of_threads;
  };
  const plan::PlanSpec spec{.op = op,
                            .upper_is_lower = !numeric::has_upper(analysis_->kind),
                            .tree = options_.tree,
                            .inter_grid = options_.inter_grid,
                            .vectors = std::move(places),
                            .lower_op = numeric::upper_of_lower(analysis_->kind),
                            .pruning = pruning};
  const auto phases = plan::describe(options_.schedule, structure(), mapping(), local_blocks_.layer, spec);
  const plan::Accumulation accumulation{.ordered = ordered,
                                        .grain = options_.grain ? *options_.grain : usual_grain()};
  const bool is_like_another =
      comm_.size() == 1 && !plan_.empty() && pruning == plan::Pruning{} && options_.dependencies;
  plan::Plan plan = is_like_another
                        ? plan::make_plan_like(plan_.begin()->second, structure(), mapping(), local_blocks_,
                                               phases, accumulation)
                        : plan::make_plan(structure(), mapping(), local_blocks_, phases, accumulation);
  plan.op = op;
  if (!options_.dependencies) return plan::without_dependencies(std::move(plan));
  return plan;
}

template <Scalar T>
void TriangularSolver<T>::prepare(Op op, Index nrhs) {
  if (nrhs > 0 && room(op) >= nrhs) return comm_.skip_conditional();
  mpi::revoke_on_error(comm_, [&] {
    const mpi::SetUp set_up(comm_);
    const bool may_be_prepared = !plan_.empty() || (substitution_ && substitution_->is_prepared());
    if (may_be_prepared) comm_.conditional_barrier();  // otherwise no rank is prepared
    agree_on_call(comm_, {.name = "prepare", .op = op, .nrhs = nrhs});
    if (nrhs < 1)
      throw mpi::CollectiveError(ErrorKind::usage, fmt::format("a solve of {} right-hand sides", nrhs));
    if (substitution_) {
      std::shared_ptr<const plan::VectorPlaces> places;  // of all stages
      return substitution_->prepare(
          op, nrhs, [&](std::span<const Index> equations, std::span<const Index> unknowns) {
            const plan::Pruning stage{reach_of_equations(op, equations), reach_of_unknowns(op, unknowns)};
            return mpi::agree_on_error(comm_, [&] {
              if (!places) places = vector_places();
              return make_plan(op, places, stage);
            });
          });
    }
    auto made = mpi::agree_on_error(comm_, [&] {
      std::map<Op, plan::Plan> one;
      if (!plan_.contains(op)) one.emplace(op, make_plan(op, vector_places()));
      return one;
    });
    plan_.merge(made);  // allocates nothing, so it cannot fail on some ranks only
    engine_->prepare(plan_.at(op), nrhs);
  });
}

template <Scalar T>
void TriangularSolver<T>::solve(Op op, const engine::CallersVectors<T>& vectors) {
  mpi::revoke_on_error(comm_, [&] {
    if (vectors.rows.b.cols == 0) require_fit(vectors.b, vectors.x);
    options_.observer->poll();
    const auto start = Clock::now();
    prepare(op, vectors.columns());
    last_ = substitution_ ? substitution_->run(op, vectors) : engine_->run(plan_.at(op), vectors);
    last_.seconds = seconds_since(start);
  });
}

template <Scalar T>
void TriangularSolver<T>::solve(Op op, const plan::Pruning& pruning,
                                const engine::CallersVectors<T>& vectors) {
  if (substitution_) return solve(op, vectors);
  mpi::revoke_on_error(comm_, [&] {
    options_.observer->poll();
    const auto start = Clock::now();
    prepare(op, vectors.columns());  // the whole plan, for the pruned share and for later solves
    prepare_pruned(op, pruning, vectors.columns());
    last_ = engine_->run(pruned_->plan, vectors);
    last_.seconds = seconds_since(start);
  });
}

template <Scalar T>
void TriangularSolver<T>::require_fit(Vectors<const T> b, Vectors<const T> x) const {
  trisweep::require_fit<T>(b, x, partition_.count(comm_.rank()), engine_->reaches_device());
}

// `pruning` is the same on all ranks, so either all or none return early.
template <Scalar T>
void TriangularSolver<T>::prepare_pruned(Op op, const plan::Pruning& pruning, Index nrhs) {
  const bool is_known = pruned_ && pruned_->plan.op == op && pruned_->pruning == pruning;
  if (is_known && engine_->room(pruned_->plan) >= nrhs) return;
  if (!is_known) {
    auto made = mpi::agree_on_error(comm_, [&] {
      return std::make_unique<Pruned>(Pruned{pruning, make_plan(op, vector_places(), pruning)});
    });
    std::array<double, 2> entries{double(plan::panel_entries(made->plan)),
                                  double(plan::panel_entries(plan_.at(op)))};
    comm_.sum(entries);
    if (entries[1] > 0) made->share = entries[0] / entries[1];
    if (pruned_) engine_->forget(pruned_->plan);
    pruned_ = std::move(made);
  }
  engine_->prepare(pruned_->plan, nrhs);
}

template <Scalar T>
plan::SupernodeSet TriangularSolver<T>::reach(const std::vector<Index>& row_new,
                                              std::span<const Index> rows) const {
  const Index first = partition_.first(comm_.rank());
  std::vector<std::uint64_t> touched;
  mpi::agree_on_error(comm_, [&] {
    touched.resize(usize(structure().supernodes()));
    for (const Index row : rows)
      touched[usize(structure().supernode_of[usize(row_new[usize(first + row)])])] = 1;
  });
  comm_.max(touched);
  return mpi::agree_on_error(comm_, [&] {
    return plan::reach(structure(), {touched.begin(), touched.end()});
  });
}

template <Scalar T>
void TriangularSolver<T>::start(Op op, Vectors<const T> b, Vectors<T> x, void* stream) {
  mpi::revoke_on_error(comm_, [&] {
    require_fit(b, x);
    prepare(op, b.cols);
    engine_->start(plan_.at(op), {.b = b, .x = x}, stream);
  });
}

#define INSTANTIATE(T) template class TriangularSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                                      \
  template TriangularSolver<T>::TriangularSolver(mpi::Communicator, FactorSource<S>&,  \
                                                 const TriangularSolverOptions&,       \
                                                 std::shared_ptr<const MadeTiles<T>>); \
  template bool TriangularSolver<T>::refill(FactorSource<S>&, std::shared_ptr<const MadeTiles<T>>);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::solve
