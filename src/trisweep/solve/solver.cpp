#include "trisweep/solve/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/one_caller.hpp"
#include "trisweep/plan/useful_threads.hpp"
#include "trisweep/solve/agreed_call.hpp"
#include "trisweep/solve/judge.hpp"
#include "trisweep/solve/some_rows.hpp"
#include "trisweep/solve/system_factorizer.hpp"
#include "trisweep/solve/usable_options.hpp"

namespace trisweep::solve {
namespace {

void require_analysis_for(const SolverOptions& options, const PlannedSystem& analyzed) {
  if (options.factorization)
    throw Error(ErrorKind::usage,
                fmt::format("an analysis made here is not for factors of {}", options.factorization->name()),
                "analyze and factor by our own factorization, or make a Solver of the rows");
  if (!numeric::is_of_choice(analyzed.analysis->kind, options.kind))
    throw Error(ErrorKind::usage,
                fmt::format("the analysis is for {}, another kind of factorization than the option `kind`",
                            numeric::describe(analyzed.analysis->kind).title),
                "analyze with the same kind");
}

}  // namespace

template <Scalar T>
struct Solver<T>::State {
  State(const mpi::Communicator& ranks, BlockRows<T> rows, const SolverOptions& given,
        FactorSources<T> factors, const PlannedSystem* analyzed)
      : comm(ranks.share()), options(usable_options<T>(comm, given)), system(comm, std::move(rows)) {
    if (options.factorization || options.kind != numeric::KindChoice::automatic)
      mpi::agree_on_error(comm, [&] {  // only rank 0 has the analysis
        if (analyzed) require_analysis_for(options, *analyzed);
      });
    if (options.device != engine::Device::native)
      report.exchange_backend = engine::name_of(*options.exchange_backend);
    factorizer.emplace(comm, system, options, report, std::move(factors), analyzed);
    first.reuses_analysis = analyzed != nullptr;
    factor(first);
    first.reuses_analysis = true;
  }

  // New values start with the first attempt of the previous ones; with better factors only if these were
  // needed twice in a row, so that one odd matrix or right-hand side does not slow down all later solves.
  void factor_next(const PlannedSystem* analyzed) {
    needed_better = has_helped ? needed_better + 1 : 0;
    is_first = true;
    has_helped = false;
    pivots_of_singular.reset();
    const bool is_set_up = factorizer.has_value();  // false if that failed, on all ranks
    if (!is_set_up || !factorizer->follow(analyzed)) {
      refined.reset();
      solver.reset();
      factorizer.emplace(comm, system, options, report, FactorSources<T>{}, analyzed);
    }
    if (analyzed) {
      first = usual_attempt();
    } else if (needed_better > 1) {
      first = attempt;
    } else if (first.pivoting == Pivoting::standard) {
      factorizer->return_to_standard();
    }
    first.reuses_analysis = true;
    factor(first);
  }

  Attempt usual_attempt() const {
    return {.low_precision = options.mixed, .compression = first_compression<T>(options)};
  }

  void factor_better(const Attempt& next) {
    is_first = false;
    factor(next);
  }

  template <Scalar F>
  using Parts = AttemptFactors<F, T>;

  void factor(const Attempt& next) {
    attempt = next;
    judge.reset();
    if (const auto& pivots = report.factor.pivots; pivots && pivots->zero > 0) pivots_of_singular = pivots;
    report.factor = {.second_try = attempt.pivoting == Pivoting::conservative};
    try {
      attempt.low_precision ? factor_in<Single<T>>() : factor_in<T>();
    } catch (const mpi::CollectiveError& e) {
      if (!factorizer->is_of_engine(attempt) || !options.second_try || e.kind() != ErrorKind::numerical)
        throw;
      factor_better({.pivoting = Pivoting::conservative});
    }
  }

  // Returns this state, with factors of the current values. Throws CollectiveError if the last factorization
  // failed.
  State& with_factors() {
    if (!judge)
      throw mpi::CollectiveError(ErrorKind::numerical,
                                 "there are no factors, since the last factorization failed",
                                 "refactor with other values");
    return *this;
  }

  template <Scalar F>
  void factor_in() {
    Parts<F> parts = factorizer->template factor<F>(attempt);
    if (options.usual_transport) {
      if (const auto& usual = mpi::usual_transport(comm); usual.preferred) report.plan.transport = usual.name;
    }
    distribute(std::move(parts));
  }

  template <Scalar F>
  void distribute(Parts<F> parts) {
    const auto start = Clock::now();
    const bool are_ours = parts.source && !report.factor.given;  // given factors may have other users
    if (are_ours && !options.compress.automatic) parts.source->expect_last();
    make_solver(parts);
    keep_or_undo_compression(parts);
    parts = {};
    report.distribution_seconds = comm.max(seconds_since(start));
    const auto plan_start = Clock::now();
    refined->prepare(options.op, options.nrhs);
    report.plan_seconds = comm.max(seconds_since(plan_start));
    report.setup_seconds = system.seconds() + comm.max(seconds_since(start));
    describe_compression();
    const auto bytes = static_cast<double>(solver->panel_bytes());
    report.panel_bytes = comm.sum(bytes);
    report.panel_bytes_max = comm.max(bytes);
    judge.emplace(system.matrix(), *solver, *refined, report.factor, attempt.low_precision);
  }

  // Tries an automatic compression, and changes it or leaves it out if it does not pay.
  template <Scalar F>
  void keep_or_undo_compression(Parts<F>& parts) {
    while (options.compress.automatic && solver->compression()) {
      const auto better = better_compression(*solver, *refined, options.op, refinement(), whole_answers());
      if (!better) break;
      report.factor.compression_seconds += solver->compression()->seconds;
      attempt.compression = *better;
      if (parts.tiles) restore_panels(parts);
      make_solver(parts);
    }
    if (options.compress.automatic && !solver->compression()) attempt.compression = {};
    if (is_first) first.compression = attempt.compression;
  }

  // Recomputes the panels that tiles were made of; they are kept until the solver is made.
  template <Scalar F>
  void restore_panels(Parts<F>& parts) {
    const auto start = Clock::now();
    refined.reset();
    solver.reset();
    parts = {};
    parts = factorizer->template with_panels<F>(attempt);
    report.factor.compression_seconds += seconds_since(start);
  }

  template <Scalar F>
  void make_solver(const Parts<F>& parts) {
    refined.reset();  // it stores row sums of A
    TriangularSolverOptions wanted = triangular_options(options, report.plan);
    wanted.rows = system.matrix().partition();
    wanted.compression = attempt.compression;
    if (!solver || solver->options().compression != wanted.compression ||
        !solver->refill(*parts.source, parts.tiles)) {
      solver.reset();
      wanted.threads = threads_of_sweeps(*parts.source);
      solver.emplace(comm.share(), *parts.source, wanted, parts.tiles);
      report.threads = solver->threads();
    }
    if (Coupling<T>* coupling = factorizer->coupling()) solver->couple(*coupling);
    refined.emplace(system.matrix(), *solver);
  }

  // The number of threads asked for; 0: as many as save time, up to the processors of rank 0, if MPI allows
  // calls from any thread.
  template <Scalar F>
  int threads_of_sweeps(FactorSource<F>& source) {
    if (options.threads > 0) return options.threads;
    const auto analysis = source.analysis(comm);
    int threads = mpi::agree_on_error(comm, [&] {
      const bool may = comm.size() == 1 || mpi::threads_take_turns();
      const int most = may && options.device == engine::Device::native ? factorizer->processors() : 1;
      return plan::useful_threads(*analysis->structure, comm.size(), options.nrhs, most);
    });
    comm.broadcast(threads);
    return threads;
  }

  void describe_compression() {
    FactorReport& of = report.factor;
    const CompressionReport made = solver->compression().value_or(CompressionReport{});
    of.compression_undone =
        (options.compress.automatic || options.compress.eps > 0) && attempt.compression.eps == 0;
    of.compression_eps = compression_eps();
    of.compression_seconds += made.seconds;
    of.level_bytes = made.level_bytes;
    of.uncompressed_level_bytes = made.uncompressed_level_bytes;
    if (solver->compression()) of.bytes = static_cast<std::size_t>(made.bytes());
  }

  // eps of the current panels; 0: uncompressed.
  double compression_eps() const { return solver->compression() ? solver->options().compression.eps : 0; }

  WholeAnswers whole_answers() const {
    return {.passes = passes_of_whole_factors(options.refinement, options.mixed),
            .product = system.product_share()};
  }

  RefinementOptions refinement() const {
    const bool approximate = attempt.low_precision || solver->compression();
    if (!approximate) return options.refinement;
    RefinementOptions of_approximate = refinement_of_approximate<T>(options.refinement);
    of_approximate.replaceable = options.second_try;
    return of_approximate;
  }

  // Solves, and factors again as long as that may help.
  Answer solve(const Vectors<const T>& b, Vectors<T> x, Op op, bool prune, void* stream) {
    const Vectors<const T> right = system.in_range(b, *solver);
    for (;;) {
      RefinementOptions limits = refinement();
      limits.prune = prune;
      Answer answer = Judge<T>::unjudged(refined->solve(op, right, x, limits, stream));
      // If better factors have to be made anyway, these decide whether A is singular.
      if (!limits.replaceable || (answer.satisfies && answer.satisfies_small)) judge->judge(answer);
      if (!answer.solved()) system.require_finite(right, *solver);  // no other factors would help
      const bool stagnated = report.factor.perturbed_pivots > 0 && has_stagnated<T>(answer, limits);
      const auto next =
          options.second_try ? next_attempt(attempt, compression_eps(), stagnated, answer) : std::nullopt;
      if (!next) {
        has_helped = has_helped || (!is_first && answer.solved());
        keep_pivots_of_singular();
        return answer;
      }
      factor_better(*next);
    }
  }

  // For a singular matrix, L D L^T has found the signs of the pivots, which the LU of a second try does not.
  void keep_pivots_of_singular() {
    FactorReport& of = report.factor;
    if (of.second_try && of.numerically_singular && !of.pivots) of.pivots = pivots_of_singular;
  }

  mpi::Communicator comm;
  SolverOptions options;
  LinearSystem<T> system;
  Report report{};
  std::optional<SystemFactorizer<T>> factorizer{};
  Attempt first = usual_attempt();  // first attempt for new values
  Attempt attempt{};                // the last attempt
  bool is_first = true;             // `attempt` is the first one for these values
  bool has_helped = false;          // a later attempt solved what the first one did not
  std::optional<numeric::PivotSummary> pivots_of_singular{};  // of an earlier attempt, with zeros
  int needed_better = 0;  // number of value sets in a row for which that was so
  std::optional<TriangularSolver<T>> solver{};
  std::optional<RefinedSolver<T>> refined{};
  std::optional<Judge<T>> judge{};  // of the current factors; unset: there are none
  engine::SolveProfile last_sweep{};
  std::atomic_flag busy{};  // a call is in progress
};

template <Scalar T>
std::unique_ptr<typename Solver<T>::State> Solver<T>::make(const mpi::Communicator& comm, BlockRows<T> rows,
                                                           const SolverOptions& options,
                                                           FactorSources<T> factors,
                                                           const PlannedSystem* analyzed) {
  return mpi::revoke_on_error(comm, [&] {
    const mpi::SetUp set_up(comm);
    return mpi::make_collective<State>(comm, std::move(rows), options, std::move(factors), analyzed);
  });
}
template <Scalar T>
Solver<T>::Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options)
    : Solver(mpi::Communicator(comm, {}, options.watchdog), std::move(rows), options) {}
template <Scalar T>
Solver<T>::Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options, FactorSources<T> factors)
    : state_(make(mpi::Communicator(comm, {}, options.watchdog), std::move(rows), options, std::move(factors),
                  nullptr)) {}
template <Scalar T>
Solver<T>::Solver(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options,
                  const PlannedSystem* analyzed)
    : state_(make(mpi::Communicator(comm, {}, options.watchdog), std::move(rows), options, {}, analyzed)) {}
template <Scalar T>
Solver<T>::Solver(const mpi::Communicator& comm, BlockRows<T> rows, const SolverOptions& options)
    : state_(make(comm, std::move(rows), options, {}, nullptr)) {}
template <Scalar T>
Solver<T>::~Solver() = default;
template <Scalar T>
void Solver<T>::destroy_locally() const {
  state_->comm.destroy_locally();
}
template <Scalar T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <Scalar T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <Scalar T>
Answer Solver<T>::solve(Vectors<const T> b, Vectors<T> x, Op op, void* stream) {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  return mpi::revoke_on_error(s.comm, [&] { return s.solve(b, x, op, false, stream); });
}

template <Scalar T>
Answer Solver<T>::solve_sparse(Vectors<const T> b, Vectors<T> x, Op op) {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  const bool prune = s.options.device == engine::Device::native;
  return mpi::revoke_on_error(s.comm, [&] { return s.solve(b, x, op, prune, nullptr); });
}

template <Scalar T>
Answer Solver<T>::solve_rows(const SparseColumns<T>& b, std::span<const Index> rows, Vectors<T> x, Op op) {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  return mpi::revoke_on_error(s.comm, [&] {
    const auto start = Clock::now();
    const SomeRows<T> wanted{b, rows, x};
    const Index local_rows = s.system.matrix().local_rows();
    agree_on_call(s.comm, {.name = "solve_rows", .op = op, .nrhs = b.cols()},
                  [&] { require_fit(wanted, local_rows, s.system.numbers()); });
    Answer answer = s.judge->sample(op);
    const double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
    std::optional<PrunedSweeps> done;
    if (answer.solved() && answer.error.arioli_demmel_duff <= 10 * epsilon)
      done = sweep_rows<T>(*s.solver, op, wanted,
                           [&](Vectors<const T> group) { return s.system.in_range(group, *s.solver); });
    if (done && done->is_finite) {
      answer.panel_share = done->panel_share;
      s.last_sweep = done->profile;
      answer.of_sample = true;
    } else if (b.cols() > 0) {
      answer = solve_and_pick<T>(s.comm, local_rows, wanted, [&](Vectors<const T> group, Vectors<T> whole) {
        return s.solve(group, whole, op, false, nullptr);
      });
      s.last_sweep = s.solver->last();
    }
    answer.seconds = seconds_since(start);
    return answer;
  });
}

template <Scalar T>
ForwardError Solver<T>::forward_error(const Answer& answer, Vectors<const T> b, Vectors<const T> x, Op op) {
  if (!answer.is_regular()) return {};
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  return mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "forward_error", .op = op, .nrhs = b.cols}, [&] {
      s.solver->require_fit(b, x);
      if (answer.worst < 0 || answer.worst >= b.cols)
        throw Error(ErrorKind::usage, "the answer is of more right-hand sides than there are here",
                    "pass the right-hand sides and solutions that it is of");
    });
    return s.refined->forward_error(op, s.system.in_range(b.columns(answer.worst, 1), *s.solver),
                                    x.columns(answer.worst, 1), s.system.most_entries(op) + 1,
                                    s.judge->factors_are_of_another());
  });
}

template <Scalar T>
double Solver<T>::condition_estimate() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  double estimate = 0;
  mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "condition_estimate"});
    estimate = s.judge->condition_estimate();
  });
  return estimate;
}

template <Scalar T>
void Solver<T>::refactor(std::span<const T> values, const PlannedSystem* analyzed) {
  const OneCaller caller(state_->busy);
  State& s = *state_;
  mpi::revoke_on_error(s.comm, [&] {
    const mpi::SetUp set_up(s.comm);
    agree_on_call(s.comm, {.name = "refactor"});
    s.system.replace_values(values);
    s.judge.reset();
    s.factor_next(analyzed);
  });
}

template <Scalar T>
ExplicitFactors<T> Solver<T>::explicit_factors() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  return mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "explicit_factors"});
    return s.factorizer->explicit_factors(s.attempt);
  });
}

template <Scalar T>
FactoredSystem<T> Solver<T>::factored_system() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  return mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "factored_system"});
    FactoredSystem<T> result{.a = {}, .factors = s.factorizer->factors_to_give(s.attempt)};
    s.system.gather([&](const matrix::Csr<T>& a) { result.a = s.system.as_given(a); });
    return result;
  });
}

template <Scalar T>
void Solver<T>::prepare(Op op, Index nrhs) {
  const OneCaller caller(state_->busy);
  state_->with_factors().refined->prepare(op, nrhs);
}

// Sweeps in the groups of refinement, for which buffers are allocated.
template <Scalar T>
void Solver<T>::sweep(Vectors<const T> b, Vectors<T> x, Op op) {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  mpi::revoke_on_error(s.comm, [&] {
    s.solver->require_fit(b, x);  // of b and x as a whole: groups of columns would always fit each other
    const Vectors<const T> right = s.system.in_range(b, *s.solver);
    const Index at_once = std::max<Index>(s.refined->group(b.cols), 1);
    for (Index first = 0; first < std::max<Index>(b.cols, 1); first += at_once) {
      const Index count = std::min(at_once, b.cols - first);
      s.solver->solve(op, right.columns(first, count), x.columns(first, count));
      first == 0 ? s.last_sweep = s.solver->last() : s.last_sweep += s.solver->last();
    }
  });
}

template <Scalar T>
const engine::SolveProfile& Solver<T>::last_sweep() const {
  return state_->last_sweep;
}
template <Scalar T>
void Solver<T>::record_in(engine::Recorder* recorder) {
  state_->with_factors().solver->record_in(recorder);
}
template <Scalar T>
const Report& Solver<T>::report() const {
  return state_->with_factors().report;
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
