#include "trisweep/solve/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/solve/compressed_factors.hpp"
#include "trisweep/solve/compression_choice.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/finite_input.hpp"
#include "trisweep/solve/range.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/singularity.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::solve {
namespace {

// Factors as are fastest or, when those have not led to an answer, as are most accurate, whatever plan was
// chosen: inverted supernodes, and pivots not much smaller than the largest of their column.
enum class Pivoting { standard, conservative };
constexpr double conservative_threshold = 0.5;

// In a row of op(A).
template <Scalar T>
Index most_entries(const matrix::Csr<T>& a, bool transposed) {
  std::vector<Index> entries(usize(a.rows()) + 1);
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Index j : a.pattern.row(i)) ++entries[usize(transposed ? j : i)];
  }
  return *std::max_element(entries.begin(), entries.end());
}

// Leaves transports that these ranks cannot have out of what there is to choose from; refuses one that is the
// only choice before anything is computed.
void leave_out_unusable(const mpi::Communicator& comm, model::PlanAxes& axes) {
  if (comm.size() == 1) return;
  const bool given = axes.transport.size() == 1;
  std::erase_if(axes.transport, [&](const std::string& name) {
    if (mpi::find_transport(name).always) return false;
    const std::string obstacle = mpi::obstacle(comm, name);
    if (given && !obstacle.empty()) throw mpi::CollectiveError(ErrorKind::environment, obstacle);
    return !obstacle.empty();
  });
}

}  // namespace

template <Scalar T>
class Solver<T>::System {
 public:
  System(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options) : comm_(comm), options_(options) {
    if (std::same_as<T, Single<T>> && options.mixed)
      throw mpi::CollectiveError(ErrorKind::usage, "single precision is the lowest precision of factors",
                                 "use mixed precision with a matrix in double precision");
    mpi::agree_on_error(comm_, [&] {
      engine::require_device(options_.device);
      require_threads(options_.threads, 0);
    });
    if (!options_.plan) options_.plan = model::all_axes(comm_.size(), names_of(mpi::transports()));
    leave_out_unusable(comm_, *options_.plan);
    if (options_.device != engine::Device::native) choose_exchange();
    ConsecutiveRows<T> own = consecutive(comm_, std::move(rows));
    entry_ = std::move(own.entry);
    number_ = std::move(own.number);
    bring_into_range(own.a.value);
    const auto start = Clock::now();
    a_.emplace(comm_.handle(), std::move(own.a), own.partition);
    matrix_seconds_ = comm_.max(seconds_since(start));
    factor(Pivoting::standard, Reuse::nothing);
  }

  Answer solve(Op op, Vectors<const T> given, Vectors<T> x, void* stream) {
    const Vectors<const T> b = in_range(given);
    Answer answer = try_to_solve(op, b, x, stream);
    if (!answer.solved()) blame_input(b);
    if (options_.second_try && solver_->compression() && !tiles_will_do(answer)) {
      compression_undone_ = true;
      factor(Pivoting::standard, Reuse::analysis);
      answer = try_to_solve(op, b, x, stream);
    }
    if (!options_.second_try || pivoting_ == Pivoting::conservative || good_enough(answer)) return answer;
    factor(Pivoting::conservative, Reuse::nothing);
    return try_to_solve(op, b, x, stream);
  }

  ForwardError forward_error(Op op, const Answer& answer, Vectors<const T> b, Vectors<const T> x) {
    if (!answer.is_regular()) return {};
    return refined_->forward_error(op, in_range(b.columns(answer.worst, 1)), x.columns(answer.worst, 1),
                                   most_entries_[op == Op::none ? 0 : 1] + 1);
  }

  void refactor(std::span<const T> values) {
    std::vector<T> ordered;
    mpi::agree_on_error(comm_, [&] {
      if (!entry_.empty() && entry_.size() != values.size())
        throw Error(ErrorKind::usage, "the number of values is not the number of entries of the matrix",
                    "pass values for the same pattern");
      if (entry_.empty()) ordered.assign(values.begin(), values.end());
      for (const Offset e : entry_) ordered.push_back(values[usize(e)]);
      if (!std::ranges::all_of(ordered, is_finite<T>))
        throw Error(ErrorKind::input, "a value of the matrix is not finite",
                    "look for a division by zero or an overflow where the matrix is made");
    });
    bring_into_range(ordered);
    a_->replace_values(ordered);
    factor(Pivoting::standard, Reuse::analysis);
  }

  void prepare(Op op, Index nrhs) { refined_->prepare(op, nrhs); }
  // In the groups of refinement, which have room.
  void sweep(Op op, Vectors<const T> b, Vectors<T> x) {
    const Vectors<const T> right = in_range(b);
    const Index at_once = std::max<Index>(refined_->group(b.cols), 1);
    for (Index first = 0; first < std::max<Index>(b.cols, 1); first += at_once) {
      const Index count = std::min(at_once, b.cols - first);
      solver_->solve(op, right.columns(first, count), x.columns(first, count));
      first == 0 ? last_ = solver_->last() : last_ += solver_->last();
    }
  }
  const engine::SolveProfile& last_sweep() const { return last_; }
  TriangularSolver<T>& triangular() { return *solver_; }
  const Report& report() const { return report_; }
  const krylov::DistributedMatrix<T>& matrix() const { return *a_; }

 private:
  enum class Reuse { nothing, analysis };
  static constexpr double epsilon = double(std::numeric_limits<RealOf<T>>::epsilon());

  // With factors of less precision than the system has: an answer that nothing is to be said against.
  bool good_enough(const Answer& answer) const {
    return factors_are_low_ ? answer.solved() : answer.satisfies;
  }

  // Tiles show no condition beyond what they are off by.
  bool tiles_will_do(const Answer& answer) const {
    return answer.solved() && answer.condition.condition_estimate * solver_->options().compression.eps < 1;
  }

  // Of devices, where nobody has chosen. Without puts of theirs there are layers of one rank each to choose
  // from; anything else is refused before anything is computed.
  void choose_exchange() {
    const std::string obstacle = engine::obstacle_to_puts(options_.device, comm_);
    if (!options_.exchange_backend)
      options_.exchange_backend =
          obstacle.empty() ? device::ExchangeBackend::puts : device::ExchangeBackend::mpi;
    report_.exchange_backend = engine::name_of(*options_.exchange_backend);
    if (obstacle.empty()) return;
    model::PlanAxes& axes = *options_.plan;
    std::erase_if(axes.grid, [](const auto& grid) { return grid.px * grid.py > 1; });
    std::erase_if(axes.mapping,
                  [](const auto& name) { return distribution::find_mapping(name).only_ranks_count; });
    if (options_.exchange_backend == device::ExchangeBackend::puts || axes.grid.empty() ||
        axes.mapping.empty())
      throw mpi::CollectiveError(ErrorKind::environment, obstacle);
  }

  void bring_into_range(std::vector<T>& values) {
    unit_ = unit_of_range<T>(comm_, values);
    if (unit_ == 1) return;
    for (T& v : values) v *= unit_;
  }

  // b in the units of the matrix.
  Vectors<const T> in_range(Vectors<const T> b) {
    return unit_ == 1 ? b : copy_here(b, [&](const T& v) { return v * unit_; });
  }

  // In the host's memory, until the next one.
  template <class Change>
  Vectors<const T> copy_here(Vectors<const T> b, const Change& change) {
    return mpi::agree_on_error(comm_, [&]() -> Vectors<const T> {
      copy_.resize(usize(b.rows) * usize(b.cols));
      const Vectors<T> to{copy_.data(), b.rows, b.cols};
      if (b.space == MemorySpace::host) {
        for (Index c = 0; c < b.cols; ++c) std::copy_n(b.column(c), b.rows, to.column(c));
      } else {
        solver_->copy(to, b);
      }
      std::ranges::transform(copy_, copy_.begin(), change);
      return to;
    });
  }

  // Throws on every rank when b is not finite: no other factors would help.
  void blame_input(Vectors<const T> b) {
    const auto same = [](const T& v) { return v; };
    require_finite(comm_, b.space == MemorySpace::host ? b : copy_here(b, same),
                   {number_, a_->partition().first(comm_.rank())});
  }

  Answer try_to_solve(Op op, Vectors<const T> b, Vectors<T> x, void* stream) {
    const auto start = Clock::now();
    const Offset steps = reductions();
    Refined refined = refined_->solve(op, b, x, refinement(), stream);
    Answer answer{.error = refined.error,
                  .columns = std::move(refined.columns),
                  .small = refined.small,
                  .refinement_steps = refined.steps,
                  .worst = refined.worst,
                  .reductions = reductions() - steps,
                  .seconds = seconds_since(start)};
    if (!condition_) {
      const Probe probe = probe_singularity(*a_, *solver_);
      condition_ = {.condition_estimate = std::max(probe.condition, estimate_condition(*solver_)),
                    .probe_condition = probe.condition,
                    .recovered = probe.recovered};
    }
    answer.condition = *condition_;
    assess<T>(answer);
    report_.factor.condition_estimate = answer.condition.condition_estimate;
    report_.factor.numerically_singular = answer.singular;
    return answer;
  }

  Offset reductions() const { return a_->comm().reductions() + solver_->comm().reductions(); }

  void factor(Pivoting pivoting, Reuse reuse) {
    pivoting_ = pivoting;
    condition_.reset();
    tried_seconds_ = 0;
    factors_are_low_ = options_.mixed && pivoting == Pivoting::standard;
    if (reuse == Reuse::nothing) {
      analysis_.reset();
      factored_.reset();
    }
    factors_are_low_ ? factor_in<Single<T>>() : factor_in<T>();
  }

  template <Scalar F>
  void factor_in() {
    const Index node = mpi::ranks_of_first_node(comm_);
    std::shared_ptr<const Factorization<F>> factorization;  // rank 0
    {
      matrix::Csr<T> room;
      const matrix::Csr<T>& whole = a_->whole(room);
      mpi::agree_on_error(comm_, [&] {
        if (comm_.rank() == 0) factorization = plan_and_factor<F>(whole, node);
      });
    }
    comm_.broadcast(most_entries_);
    share_choice();
    distribute(std::move(factorization));
  }

  // On rank 0. A matrix that Cholesky finds not definite has other factors, for which another plan may be the
  // fastest.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> plan_and_factor(const matrix::Csr<T>& a, Index ranks_of_node) {
    if (most_entries_[0] == 0) most_entries_ = {most_entries(a, false), most_entries(a, true)};
    report_.factor = {.second_try = pivoting_ == Pivoting::conservative};
    // Cholesky reads one triangle: other values of the same pattern need not be Hermitian any more.
    if (analysis_ && (analysis_->kind == numeric::Kind::lu || likely_kind(a) == analysis_->kind)) {
      if (auto again = try_factor_as_before<F>(a)) return again;
      auto again = try_factor<F>(a, analysis_);
      if (again && again->factors->perturbed_pivots == 0) return again;
    }
    PlanRequest request{.axes = *options_.plan,
                        .machine = options_.machine,
                        .ordering = options_.ordering,
                        .workload = {.nrhs = options_.nrhs,
                                     .scalar_bytes = sizeof(T),
                                     .stored_bytes = sizeof(F),
                                     .complex = is_complex<T>,
                                     .compression_eps = compression().eps},
                        .op = options_.op,
                        .ranks_of_node = ranks_of_node,
                        .threads = options_.threads,
                        .clusters = compression().eps > 0,
                        .rows = a_->partition(),
                        .numbers = {number_}};
    if (pivoting_ == Pivoting::conservative)
      request.axes.diagonal = {std::string(symbolic::diagonals().front().name)};
    std::shared_ptr<const Factorization<F>> done;
    const auto likely = pivoting_ == Pivoting::standard ? likely_kind(a) : numeric::Kind::lu;
    for (auto kind = likely; !done; kind = numeric::Kind::lu) {
      PlannedSystem planned = plan_system(a, kind, request, observer());
      analysis_ = planned.analysis;
      report_.plan = planned.choice;
      report_.factor.analysis_seconds += planned.analysis_seconds;
      report_.separators = planned.separators;
      const double before = report_.model ? report_.model->seconds : 0;
      report_.model = std::move(planned.model);
      if (report_.model) report_.model->seconds += before;
      done = try_factor<F>(a, analysis_);
    }
    return done;
  }

  // With the pivots that were delayed where they were eliminated the last time: nothing where that does not
  // do for the new values.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> try_factor_as_before(const matrix::Csr<T>& a) {
    if (!factored_ || factored_ == analysis_) return nullptr;
    if (!factored_->fronts) factored_ = std::make_shared<const Analysis>(with_fronts(a, *factored_));
    const auto as = factored_;
    auto again = try_factor<F>(a, as);
    const bool will_do = again && again->analysis == as && again->factors->perturbed_pivots == 0;
    return will_do ? again : nullptr;
  }

  // As it was analyzed; nothing when Cholesky does not work.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> try_factor(const matrix::Csr<T>& a,
                                                     const std::shared_ptr<const Analysis>& analysis) {
    const Compression wanted = compression();
    if (options_.compress.automatic && wanted.eps > 0 &&
        expected_share<F, T>(*analysis_, wanted.eps) > wanted.most)
      compression_undone_ = true;
    auto done = try_factor_in_tiles<F>(a, analysis, numeric_options(), compression_at_once(), observer());
    report_.factor.seconds += done.seconds;
    tried_seconds_ += done.lost_seconds;
    if (!done.factorization) return nullptr;
    tiles_ = std::move(done.tiles);
    if (options_.compress.automatic && done.too_long) compression_undone_ = true;
    const numeric::Factors<F>& factors = *done.factorization->factors;
    describe(report_.factor, *factors.structure, factors.kind, sizeof(F));
    report_.factor.perturbed_pivots = factors.perturbed_pivots;
    report_.factor.delayed_pivots = factors.delayed_pivots;
    factored_ = done.factorization->analysis;
    return std::make_shared<const Factorization<F>>(*std::move(done.factorization));
  }

  numeric::FactorizationOptions numeric_options() const {
    const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const numeric::Kind kind = analysis_->kind;
    const int threads = options_.threads > 0
                            ? options_.threads
                            : numeric::useful_threads(*analysis_->structure, kind, processors);
    numeric::FactorizationOptions options{.threads = threads};
    if (pivoting_ == Pivoting::conservative) options.relative_threshold = conservative_threshold;
    return options;
  }

  // Of panels while they are factored. (Devices take them as they are.) Where the automatic EPS may not do,
  // which so far it always did for definite systems, another needs the numbers.
  Compression compression_at_once() const {
    const bool alone = comm_.size() == 1 && options_.device == engine::Device::native;
    const bool may_change = options_.compress.automatic && analysis_->kind != numeric::Kind::cholesky;
    return alone && !may_change ? compression() : Compression{};
  }

  void share_choice() {
    comm_.broadcast(report_.plan.grid);
    comm_.broadcast(compression_undone_);
    for (const model::NamedAxis& axis : model::named_axes()) comm_.broadcast(report_.plan.*axis.value);
    if (!options_.usual_transport) return;
    if (const auto& usual = mpi::usual_transport(comm_); usual.preferred) report_.plan.transport = usual.name;
  }

  template <Scalar F>
  void distribute(std::shared_ptr<const Factorization<F>> factorization) {
    const auto start = Clock::now();
    make_solver(factorization);
    while (options_.compress.automatic && solver_->compression()) {
      const auto better = better_compression(*solver_, *refined_, options_.op, refinement(), whole_answers());
      if (!better) break;
      tried_seconds_ += solver_->compression()->seconds;
      automatic_ = *better;
      compression_undone_ = automatic_.eps == 0;
      if (tiles_) factorization = factor_again<F>();
      make_solver(factorization);
    }
    if (compression().eps > 0 && options_.compress.automatic && !solver_->compression())
      compression_undone_ = true;
    tiles_.reset();
    factorization.reset();
    report_.distribution_seconds = comm_.max(seconds_since(start));
    const auto plan_start = Clock::now();
    refined_->prepare(options_.op, options_.nrhs);
    report_.plan_seconds = comm_.max(seconds_since(plan_start));
    report_.setup_seconds = matrix_seconds_ + comm_.max(seconds_since(start));
    describe_compression();
    const auto bytes = static_cast<double>(solver_->panel_bytes());
    report_.panel_bytes = comm_.sum(bytes);
    report_.panel_bytes_max = comm_.max(bytes);
  }

  // The numbers that tiles were made of: once they are needed, they stay until the solver is made.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> factor_again() {
    const auto start = Clock::now();
    refined_.reset();
    solver_.reset();
    tiles_.reset();
    matrix::Csr<T> room;
    const matrix::Csr<T>& whole = a_->whole(room);
    auto factorization = mpi::agree_on_error(comm_, [&] {
      return std::make_shared<const Factorization<F>>(
          solve::try_factor<F>(whole, analysis_, numeric_options(), observer()).value());
    });
    tried_seconds_ += seconds_since(start);
    return factorization;
  }

  template <Scalar F>
  void make_solver(const std::shared_ptr<const Factorization<F>>& factorization) {
    refined_.reset();  // it keeps sums of A's rows
    const TriangularSolverOptions wanted = solver_options();
    if (!solver_ || solver_->options().compression != wanted.compression ||
        !solver_->refill(factorization, tiles_)) {
      solver_.reset();
      solver_.emplace(comm_.handle(), factorization, wanted, tiles_);
    }
    refined_.emplace(*a_, *solver_);
  }

  void describe_compression() {
    FactorReport& report = report_.factor;
    const bool compressed = solver_->compression().has_value();
    const CompressionReport made = solver_->compression().value_or(CompressionReport{});
    report.compression_undone = compression_undone_;
    report.compression_eps = compressed ? solver_->options().compression.eps : 0;
    report.compression_seconds = tried_seconds_ + made.seconds;
    report.level_bytes = made.level_bytes;
    report.uncompressed_level_bytes = made.uncompressed_level_bytes;
    if (compressed) report.bytes = static_cast<std::size_t>(made.bytes());
  }

  // Once undone, for good.
  Compression compression() const {
    if (compression_undone_ || pivoting_ == Pivoting::conservative) return {};
    return options_.compress.automatic ? automatic_ : Compression{options_.compress.eps};
  }

  int passes_of_whole_factors() const {
    return solve::passes_of_whole_factors(options_.refinement, options_.mixed);
  }

  WholeAnswers whole_answers() const {
    const auto most = [&](auto value) { return comm_.max(double(value)); };
    const matrix::Csr<T>& local = a_->local();
    return {.passes = passes_of_whole_factors(),
            .product = {.ranks = comm_.size(),
                        .rows = static_cast<Index>(most(local.rows())),
                        .nonzeros = static_cast<Offset>(most(local.nonzeros())),
                        .neighbours = static_cast<Index>(most(a_->halo().neighbours().size())),
                        .ghosts = static_cast<Index>(most(local.cols() - local.rows()))}};
  }

  RefinementOptions refinement() const {
    return solver_->compression() ? refinement_of_compressed<T>(options_.refinement) : options_.refinement;
  }

  TriangularSolverOptions solver_options() const {
    const model::PlanChoice& choice = report_.plan;
    return {.grid = choice.grid,
            .mapping = distribution::find_mapping(choice.mapping),
            .tree = plan::find_tree(choice.tree),
            .schedule = plan::find_schedule(choice.schedule).choice,
            .inter_grid = plan::find_inter_grid(choice.inter_grid),
            .transport = mpi::find_transport(choice.transport).make,
            .device = options_.device,
            .exchange_backend = options_.exchange_backend,
            .threads = std::max(options_.threads, 1),
            .deterministic = options_.deterministic,
            .dependencies = options_.dependencies,
            .watchdog = options_.watchdog,
            .rows = a_->partition(),
            .compression = compression(),
            .observer = &observer()};
  }

  Observer& observer() const { return options_.observer ? *options_.observer : silent_observer(); }

  mpi::Communicator comm_;
  SolverOptions options_;
  std::vector<Offset> entry_;  // ConsecutiveRows::entry
  std::vector<Index> number_;  // ConsecutiveRows::number
  RealOf<T> unit_ = 1;         // a_ is the caller's matrix times this (range.hpp)
  std::vector<T> copy_;        // of right-hand sides
  std::optional<krylov::DistributedMatrix<T>> a_;
  double matrix_seconds_ = 0;  // that distributing it took
  Pivoting pivoting_ = Pivoting::standard;
  bool factors_are_low_ = false;
  bool compression_undone_ = false;
  Compression automatic_ = automatic_compression<T>(passes_of_whole_factors());
  std::shared_ptr<const Analysis> analysis_;   // rank 0: as it was planned, before pivots are delayed
  std::shared_ptr<const Analysis> factored_;   // rank 0: of the last factors, with pivots delayed
  std::shared_ptr<const MadeTiles<T>> tiles_;  // until a solver has them
  double tried_seconds_ = 0;                   // of making tiles that were not kept
  std::array<Index, 2> most_entries_{};        // in a row of A, and of its transposes
  std::optional<TriangularSolver<T>> solver_;
  std::optional<RefinedSolver<T>> refined_;
  std::optional<ConditionEstimate> condition_;  // once it is known
  engine::SolveProfile last_;                   // of a sweep
  Report report_;
};

template <Scalar T>
Solver<T>::Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options)
    : system_(std::make_unique<System>(comm, std::move(rows), options)) {}
template <Scalar T>
Solver<T>::~Solver() = default;
template <Scalar T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <Scalar T>
Answer Solver<T>::solve(Vectors<const T> b, Vectors<T> x, Op op, void* stream) {
  return system_->solve(op, b, x, stream);
}
template <Scalar T>
ForwardError Solver<T>::forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op) {
  return system_->forward_error(op, answer, b, x);
}
template <Scalar T>
void Solver<T>::refactor(std::span<const T> values) {
  system_->refactor(values);
}
template <Scalar T>
void Solver<T>::prepare(Op op, Index nrhs) {
  system_->prepare(op, nrhs);
}
template <Scalar T>
void Solver<T>::sweep(Vectors<const T> b, Vectors<T> x, Op op) {
  system_->sweep(op, b, x);
}
template <Scalar T>
const engine::SolveProfile& Solver<T>::last_sweep() const {
  return system_->last_sweep();
}
template <Scalar T>
void Solver<T>::record_in(engine::Recorder* recorder) {
  system_->triangular().record_in(recorder);
}
template <Scalar T>
const Report& Solver<T>::report() const {
  return system_->report();
}
template <Scalar T>
const distribution::RowPartition& Solver<T>::partition() const {
  return system_->matrix().partition();
}
template <Scalar T>
Index Solver<T>::rows() const {
  return system_->matrix().local_rows();
}

#define INSTANTIATE(T) template class Solver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
