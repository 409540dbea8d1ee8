#include "trisweep/solve/solver.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/core/clock.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/factorizer.hpp"
#include "trisweep/solve/singularity.hpp"
#include "trisweep/solve/usable_options.hpp"

namespace trisweep::solve {

template <Scalar T>
struct Solver<T>::State {
  State(MPI_Comm the_comm, BlockRows<T> rows, const SolverOptions& given)
      : comm(the_comm), options(usable_options<T>(comm, given)), system(comm, std::move(rows)) {
    if (options.device != engine::Device::native)
      report.exchange_backend = engine::name_of(*options.exchange_backend);
    factor({.low_precision = options.mixed, .compression = compression});
  }

  void factor(const Attempt& next) {
    attempt = next;
    condition.reset();
    report.factor = {.second_try = attempt.pivoting == Pivoting::conservative};
    attempt.low_precision ? factor_in<Single<T>>() : factor_in<T>();
  }

  template <Scalar F>
  void factor_in() {
    MadeFactors<F, T> made;
    system.gather([&](const matrix::Csr<T>& a) { made = factorizer.template factor<F>(a, attempt, report); });
    share_choice();
    distribute(std::move(made));
  }

  void share_choice() {
    comm.broadcast(report.plan.grid);
    comm.broadcast(attempt.compression);
    for (const model::NamedAxis& axis : model::named_axes()) comm.broadcast(report.plan.*axis.value);
    if (!options.usual_transport) return;
    if (const auto& usual = mpi::usual_transport(comm); usual.preferred) report.plan.transport = usual.name;
  }

  template <Scalar F>
  void distribute(MadeFactors<F, T> made) {
    const auto start = Clock::now();
    make_solver(made);
    settle_compression(made);
    made = {};
    report.distribution_seconds = comm.max(seconds_since(start));
    const auto plan_start = Clock::now();
    refined->prepare(options.op, options.nrhs);
    report.plan_seconds = comm.max(seconds_since(plan_start));
    report.setup_seconds = system.seconds() + comm.max(seconds_since(start));
    describe_compression();
    const auto bytes = static_cast<double>(solver->panel_bytes());
    report.panel_bytes = comm.sum(bytes);
    report.panel_bytes_max = comm.max(bytes);
  }

  // An automatic compression is tried, and changed or left out where it does not pay.
  template <Scalar F>
  void settle_compression(MadeFactors<F, T>& made) {
    while (options.compress.automatic && solver->compression()) {
      const auto better = better_compression(*solver, *refined, options.op, refinement(), whole_answers());
      if (!better) break;
      report.factor.compression_seconds += solver->compression()->seconds;
      attempt.compression = *better;
      if (made.tiles) restore_panels(made);
      make_solver(made);
    }
    if (options.compress.automatic && !solver->compression()) attempt.compression = {};
    if (attempt.pivoting == Pivoting::standard) compression = attempt.compression;
  }

  // The panels that tiles were made of: once they are needed, they stay until the solver is made.
  template <Scalar F>
  void restore_panels(MadeFactors<F, T>& made) {
    const auto start = Clock::now();
    refined.reset();
    solver.reset();
    made = {};
    system.gather([&](const matrix::Csr<T>& a) {
      made.factorization = factorizer.template with_panels<F>(a, attempt);
    });
    report.factor.compression_seconds += seconds_since(start);
  }

  template <Scalar F>
  void make_solver(const MadeFactors<F, T>& made) {
    refined.reset();  // it keeps sums of A's rows
    TriangularSolverOptions wanted = triangular_options(options, report.plan);
    wanted.rows = system.matrix().partition();
    wanted.compression = attempt.compression;
    if (!solver || solver->options().compression != wanted.compression ||
        !solver->refill(made.factorization, made.tiles)) {
      solver.reset();
      solver.emplace(comm.handle(), made.factorization, wanted, made.tiles);
    }
    refined.emplace(system.matrix(), *solver);
  }

  void describe_compression() {
    FactorReport& of = report.factor;
    const CompressionReport made = solver->compression().value_or(CompressionReport{});
    of.compression_undone = (options.compress.automatic || options.compress.eps > 0) && compression.eps == 0;
    of.compression_eps = compression_eps();
    of.compression_seconds += made.seconds;
    of.level_bytes = made.level_bytes;
    of.uncompressed_level_bytes = made.uncompressed_level_bytes;
    if (solver->compression()) of.bytes = static_cast<std::size_t>(made.bytes());
  }

  // Of the panels that there are.
  double compression_eps() const { return solver->compression() ? solver->options().compression.eps : 0; }

  WholeAnswers whole_answers() const {
    const auto most = [&](auto value) { return comm.max(double(value)); };
    const matrix::Csr<T>& local = system.matrix().local();
    return {.passes = passes_of_whole_factors(options.refinement, options.mixed),
            .product = {.ranks = comm.size(),
                        .rows = static_cast<Index>(most(local.rows())),
                        .nonzeros = static_cast<Offset>(most(local.nonzeros())),
                        .neighbours = static_cast<Index>(most(system.matrix().halo().neighbours().size())),
                        .ghosts = static_cast<Index>(most(local.cols() - local.rows()))}};
  }

  RefinementOptions refinement() const {
    return solver->compression() ? refinement_of_compressed<T>(options.refinement) : options.refinement;
  }

  Answer judge(Refined result) {
    if (!condition) {
      const Probe probe = probe_singularity(system.matrix(), *solver);
      condition = {.condition_estimate = std::max(probe.condition, estimate_condition(*solver)),
                   .probe_condition = probe.condition,
                   .recovered = probe.recovered};
    }
    Answer answer{.error = result.error,
                  .columns = std::move(result.columns),
                  .small = result.small,
                  .refinement_steps = result.steps,
                  .worst = result.worst,
                  .reductions = result.reductions,
                  .condition = *condition,
                  .seconds = result.seconds};
    assess<T>(answer);
    report.factor.condition_estimate = answer.condition.condition_estimate;
    report.factor.numerically_singular = answer.singular;
    return answer;
  }

  mpi::Communicator comm;
  SolverOptions options;
  LinearSystem<T> system;
  Factorizer<T> factorizer{comm, system, options};
  Compression compression = first_compression<T>(options);  // with standard pivoting; none once undone
  Attempt attempt{};                                        // the last one
  std::optional<TriangularSolver<T>> solver{};
  std::optional<RefinedSolver<T>> refined{};
  std::optional<ConditionEstimate> condition{};  // once it is known
  engine::SolveProfile last_sweep{};
  Report report{};
};

template <Scalar T>
Solver<T>::Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options)
    : state_(std::make_unique<State>(comm, std::move(rows), options)) {}
template <Scalar T>
Solver<T>::~Solver() = default;
template <Scalar T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <Scalar T>
Answer Solver<T>::solve(Vectors<const T> b, Vectors<T> x, Op op, void* stream) {
  State& s = *state_;
  const Vectors<const T> right = s.system.in_range(b, *s.solver);
  for (;;) {
    Answer answer = s.judge(s.refined->solve(op, right, x, s.refinement(), stream));
    if (!answer.solved()) s.system.require_finite(right, *s.solver);  // no other factors would help
    const auto next =
        s.options.second_try ? next_attempt(s.attempt, s.compression_eps(), answer) : std::nullopt;
    if (!next) return answer;
    s.factor(*next);
  }
}

template <Scalar T>
ForwardError Solver<T>::forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op) {
  if (!answer.is_regular()) return {};
  State& s = *state_;
  return s.refined->forward_error(op, s.system.in_range(b.columns(answer.worst, 1), *s.solver),
                                  x.columns(answer.worst, 1), s.system.most_entries(op) + 1);
}

template <Scalar T>
void Solver<T>::refactor(std::span<const T> values) {
  State& s = *state_;
  s.system.replace_values(values);
  s.factor({.low_precision = s.options.mixed, .compression = s.compression, .reuses_analysis = true});
}

template <Scalar T>
void Solver<T>::prepare(Op op, Index nrhs) {
  state_->refined->prepare(op, nrhs);
}

// In the groups of refinement, which have room.
template <Scalar T>
void Solver<T>::sweep(Vectors<const T> b, Vectors<T> x, Op op) {
  State& s = *state_;
  const Vectors<const T> right = s.system.in_range(b, *s.solver);
  const Index at_once = std::max<Index>(s.refined->group(b.cols), 1);
  for (Index first = 0; first < std::max<Index>(b.cols, 1); first += at_once) {
    const Index count = std::min(at_once, b.cols - first);
    s.solver->solve(op, right.columns(first, count), x.columns(first, count));
    first == 0 ? s.last_sweep = s.solver->last() : s.last_sweep += s.solver->last();
  }
}

template <Scalar T>
const engine::SolveProfile& Solver<T>::last_sweep() const {
  return state_->last_sweep;
}
template <Scalar T>
void Solver<T>::record_in(engine::Recorder* recorder) {
  state_->solver->record_in(recorder);
}
template <Scalar T>
const Report& Solver<T>::report() const {
  return state_->report;
}
template <Scalar T>
const distribution::RowPartition& Solver<T>::partition() const {
  return state_->system.matrix().partition();
}
template <Scalar T>
Index Solver<T>::rows() const {
  return state_->system.matrix().local_rows();
}

#define INSTANTIATE(T) template class Solver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
