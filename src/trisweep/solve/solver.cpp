#include "trisweep/solve/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/one_caller.hpp"
#include "trisweep/plan/useful_threads.hpp"
#include "trisweep/solve/agreed_call.hpp"
#include "trisweep/solve/block_triangular_system.hpp"
#include "trisweep/solve/factorizer.hpp"
#include "trisweep/solve/singularity.hpp"
#include "trisweep/solve/some_rows.hpp"
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
      mpi::agree_on_error(comm, [&] {  // rank 0 alone has the analysis
        if (analyzed) require_analysis_for(options, *analyzed);
      });
    if (options.device != engine::Device::native)
      report.exchange_backend = engine::name_of(*options.exchange_backend);
    set_up_factorizer(std::move(factors), analyzed);
    first.reuses_analysis = analyzed != nullptr;
    factor(first);
    first.reuses_analysis = true;
  }

  // `analyzed`: rank 0's, of the whole matrix.
  void set_up_factorizer(FactorSources<T> given, const PlannedSystem* analyzed) {
    using numeric::KindChoice;
    const bool may_have_form = options.block_triangular != BlockTriangular::off && !options.factorization &&
                               options.dependencies && options.device == engine::Device::native &&
                               !given.in_full && !given.in_single &&
                               (options.kind == KindChoice::automatic || options.kind == KindChoice::lu);
    const bool looks_for_form = may_have_form && !on_any_rank(analyzed != nullptr);
    refined.reset();
    solver.reset();
    factorizer.reset();
    form.reset();
    if (looks_for_form) {
      const auto start = Clock::now();
      form = BlockTriangularSystem<T>::find(comm, system, options);
      form_seconds = comm.max(seconds_since(start));
    }
    factorizer.emplace(comm, system_to_factor(), options, std::move(given));
    if (analyzed) factorizer->adopt(*analyzed, report);
  }
  bool on_any_rank(bool here) const { return comm.max(double(here)) > 0; }
  const LinearSystem<T>& system_to_factor() const { return form ? form->diagonal() : system; }

  // Of values that do not have the block triangular form any more, another one; of an analysis, which is of
  // the whole matrix, none.
  void follow_values(const PlannedSystem* analyzed) {
    const bool is_set_up = factorizer.has_value();  // not where that has failed, on all ranks alike
    if (!is_set_up || (form && (on_any_rank(analyzed != nullptr) || !form->follow())))
      set_up_factorizer({}, analyzed);
    else if (analyzed)
      factorizer->adopt(*analyzed, report);
  }

  // New values begin as those before: with better factors only where these have been needed twice in a row,
  // so that one odd matrix or right-hand side does not make all that follows dearer.
  void factor_next(const PlannedSystem* analyzed) {
    needed_better = has_helped ? needed_better + 1 : 0;
    is_first = true;
    has_helped = false;
    follow_values(analyzed);
    if (analyzed) {
      first = usual_attempt();
    } else if (needed_better > 1) {
      first = attempt;
    } else if (first.pivoting == Pivoting::standard) {
      factorizer->return_to_standard(report);
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

  // The factors of an attempt: tiles on a rank that is alone.
  template <Scalar F>
  struct Parts {
    std::shared_ptr<FactorSource<F>> source;
    std::shared_ptr<const MadeTiles<T>> tiles{};
  };

  void factor(const Attempt& next) {
    attempt = next;
    condition.reset();
    sample.clear();
    const auto before =
        std::exchange(report.factor, {.second_try = attempt.pivoting == Pivoting::conservative}).pivots;
    try {
      attempt.low_precision ? factor_in<Single<T>>() : factor_in<T>();
    } catch (const mpi::CollectiveError& e) {
      if (!factorizer->is_of_engine(attempt) || !options.second_try || e.kind() != ErrorKind::numerical)
        throw;
      factor_better({.pivoting = Pivoting::conservative});
    }
    // L D L^T has told the signs of a singular matrix, LU tells none.
    FactorReport& of = report.factor;
    if (of.second_try && of.perturbed_pivots > 0 && !of.pivots && before && before->zero > 0)
      of.pivots = before;
  }

  // Those of the values that the system has. Throws CollectiveError when the last refactor() has failed.
  State& with_factors() {
    if (is_outdated)
      throw mpi::CollectiveError(ErrorKind::numerical, "there are no factors, since the last refactor failed",
                                 "refactor with other values");
    return *this;
  }

  template <Scalar F>
  void factor_in() {
    Parts<F> parts{};
    if (factorizer->is_given()) {
      parts.source = factorizer->template take_given<F>(attempt, product_share(), report);
    } else if (factorizer->is_of_engine(attempt)) {
      parts.source = factorizer->template factor_by_engine<F>(attempt, product_share(), report);
    } else if (comm.size() > 1) {
      parts.source = factorizer->template factor_on_all_ranks<F>(attempt, report);
    } else {
      system_to_factor().gather([&](const matrix::Csr<T>& a) {
        auto made = factorizer->template factor<F>(a, attempt, report);
        parts = {root_factors<F>(std::move(made.factorization)), std::move(made.tiles)};
      });
    }
    share_choice();
    share_factor_report();
    distribute(std::move(parts));
  }

  void share_choice() {
    comm.broadcast(report.plan.grid);
    comm.broadcast(attempt.compression);
    for (const model::NamedAxis& axis : model::named_axes()) comm.broadcast(report.plan.*axis.value);
    if (!options.usual_transport) return;
    if (const auto& usual = mpi::usual_transport(comm); usual.preferred) report.plan.transport = usual.name;
  }

  void share_factor_report() {
    FactorReport& of = report.factor;
    const auto share = [&](auto&... value) { (comm.broadcast(value), ...); };
    share(of.kind, of.given, of.nonzeros_l, of.nonzeros_u, of.bytes, of.uncompressed_bytes, of.supernodes,
          of.flops, of.analysis_seconds, of.seconds, of.perturbed_pivots, of.delayed_pivots, of.pivots,
          of.compression_seconds);
    of.analysis_seconds += std::exchange(form_seconds, 0);
    if (!form) return;
    of.pivots.reset();  // the blocks', not the matrix's
    of.block_stages = form->stages();
    of.nonzeros_off_diagonal = form->off_diagonal_nonzeros();
  }

  template <Scalar F>
  void distribute(Parts<F> parts) {
    const auto start = Clock::now();
    const bool are_ours = parts.source && !report.factor.given;  // others may use those given, too
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
  }

  // An automatic compression is tried, and changed or left out where it does not pay.
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

  // The panels that tiles were made of: once they are needed, they stay until the solver is made.
  template <Scalar F>
  void restore_panels(Parts<F>& parts) {
    const auto start = Clock::now();
    refined.reset();
    solver.reset();
    parts = {};
    system_to_factor().gather([&](const matrix::Csr<T>& a) {
      parts.source = root_factors(factorizer->template with_panels<F>(a, attempt));
    });
    report.factor.compression_seconds += seconds_since(start);
  }

  template <Scalar F>
  void make_solver(const Parts<F>& parts) {
    refined.reset();  // it keeps sums of A's rows
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
    if (form) solver->couple(form->coupling());
    refined.emplace(system.matrix(), *solver);
  }

  // As many as are asked for; or as gain time, by rank 0's part of its node, where any of them may call MPI.
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

  // Of the current panels; 0: uncompressed.
  double compression_eps() const { return solver->compression() ? solver->options().compression.eps : 0; }

  WholeAnswers whole_answers() const {
    return {.passes = passes_of_whole_factors(options.refinement, options.mixed), .product = product_share()};
  }

  model::ProductShare product_share() const {
    const auto most = [&](auto value) { return comm.max(double(value)); };
    const matrix::Csr<T>& local = system.matrix().local();
    return {.ranks = comm.size(),
            .rows = static_cast<Index>(most(local.rows())),
            .nonzeros = static_cast<Offset>(most(local.nonzeros())),
            .neighbours = static_cast<Index>(most(system.matrix().halo().neighbours().size())),
            .ghosts = static_cast<Index>(most(local.cols() - local.rows()))};
  }

  RefinementOptions refinement() const {
    const bool approximate = attempt.low_precision || solver->compression();
    if (!approximate) return options.refinement;
    RefinementOptions of_approximate = refinement_of_approximate<T>(options.refinement);
    of_approximate.replaceable = options.second_try;
    return of_approximate;
  }

  // Of a matrix nearby, in more than roundings of T: its condition says little of A's. (That of compressed
  // factors is trusted up to 1 / eps alone, see next_attempt().)
  bool factors_are_of_another() const { return report.factor.perturbed_pivots > 0 || attempt.low_precision; }

  // Of perturbed factors a known solution may by chance miss the direction in which they are not A's.
  void probe() {
    const Probe found = probe_singularity(system.matrix(), *solver, *refined);
    condition = {.probe_condition = found.condition, .recovered = found.recovered};
    if (found.missed > half_of_digits<T>() || solver->compression() || report.factor.perturbed_pivots > 0)
      estimate();
  }
  void estimate() {
    const bool is_singular =
        condition->probe_condition * double(std::numeric_limits<RealOf<T>>::epsilon()) >= 1;
    const double estimate = refined->estimate_condition(factors_are_of_another() && !is_singular);
    condition->condition_estimate = std::max(condition->probe_condition, estimate);
    report.factor.condition_estimate = condition->condition_estimate;
  }

  Answer unjudged(Refined result) const {
    Answer answer{.error = result.error,
                  .columns = std::move(result.columns),
                  .small = result.small,
                  .refinement_steps = result.steps,
                  .worst = result.worst,
                  .reductions = result.reductions,
                  .condition = {},
                  .seconds = result.seconds,
                  .panel_share = result.panel_share};
    assess<T>(answer);
    return answer;
  }
  void judge(Answer& answer) {
    const auto start = Clock::now();
    if (!condition) probe();
    answer.condition = *condition;
    answer.seconds += seconds_since(start);
    assess<T>(answer);
    report.factor.numerically_singular = answer.singular;
  }

  // Solves, and factors again as long as that may help.
  Answer solve(const Vectors<const T>& b, Vectors<T> x, Op op, bool prune, void* stream) {
    const Vectors<const T> right = system.in_range(b, *solver);
    for (;;) {
      RefinementOptions limits = refinement();
      limits.prune = prune;
      Answer answer = unjudged(refined->solve(op, right, x, limits, stream));
      // Whether A is singular is asked of better factors, where these have to be made all the same.
      if (!limits.replaceable || (answer.satisfies && answer.satisfies_small)) judge(answer);
      if (!answer.solved()) system.require_finite(right, *solver);  // no other factors would help
      const auto next = options.second_try ? next_attempt(attempt, compression_eps(), answer) : std::nullopt;
      if (!next) {
        has_helped = has_helped || (!is_first && answer.solved());
        return answer;
      }
      factor_better(*next);
    }
  }

  // The verdict on unrefined sweeps. A solution of ones, in the units of the caller's.
  const Answer& sampled(Op op) {
    if (const auto known = sample.find(op); known != sample.end()) return known->second;
    std::vector<T> ones, b, x;
    mpi::agree_on_error(comm, [&] {
      ones.assign(usize(system.matrix().local_rows()), T(1));
      b.resize(ones.size());
      x.resize(ones.size());
    });
    system.matrix().prepare(op, 1);
    system.matrix().apply(op, ones, b, solver->pool());
    Answer answer = unjudged(refined->solve(op, b, x, {.max_steps = 0}));
    judge(answer);
    mpi::agree_on_error(comm, [&] { sample.emplace(op, std::move(answer)); });
    return sample.at(op);
  }

  // A factorizer of the whole matrix by the same plan: in `room` where the other is of the diagonal blocks.
  struct WholeFactorizer {
    SolverOptions options;
    std::optional<Factorizer<T>> factorizer{};
  };
  const Factorizer<T>& whole_factorizer(WholeFactorizer& room) const {
    if (!form) return *factorizer;
    room.options.plan = model::only(report.plan);
    return room.factorizer.emplace(comm, system, room.options);
  }

  mpi::Communicator comm;
  SolverOptions options;
  LinearSystem<T> system;
  std::unique_ptr<BlockTriangularSystem<T>> form{};  // null: the matrix is factored as a whole
  double form_seconds = 0;                           // that looking for it took, until they are reported
  std::optional<Factorizer<T>> factorizer{};
  Attempt first = usual_attempt();  // that new values begin with
  Attempt attempt{};                // the last one
  bool is_first = true;             // which is that
  bool has_helped = false;          // the last one solved what the first one did not
  int needed_better = 0;            // values in a row of which that was so
  std::optional<TriangularSolver<T>> solver{};
  std::optional<RefinedSolver<T>> refined{};
  std::optional<ConditionEstimate> condition{};  // once it is known
  std::map<Op, Answer> sample{};                 // of these factors, see Solver::solve_rows
  engine::SolveProfile last_sweep{};
  Report report{};
  bool is_outdated = false;  // the factors are not those of the values
  std::atomic_flag busy{};   // with a call
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
    Answer answer = s.sampled(op);
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
                                    s.factors_are_of_another());
  });
}

template <Scalar T>
double Solver<T>::condition_estimate() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "condition_estimate"});
    if (!s.condition) s.probe();
    if (std::isnan(s.condition->condition_estimate)) s.estimate();
  });
  return s.condition->condition_estimate;
}

template <Scalar T>
void Solver<T>::refactor(std::span<const T> values, const PlannedSystem* analyzed) {
  const OneCaller caller(state_->busy);
  State& s = *state_;
  mpi::revoke_on_error(s.comm, [&] {
    const mpi::SetUp set_up(s.comm);
    agree_on_call(s.comm, {.name = "refactor"});
    s.system.replace_values(values);
    s.is_outdated = true;
    s.factor_next(analyzed);
    s.is_outdated = false;
  });
}

template <Scalar T>
ExplicitFactors<T> Solver<T>::explicit_factors() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  ExplicitFactors<T> result;
  mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "explicit_factors"});
    typename State::WholeFactorizer room{s.options};
    const Factorizer<T>& factorizer = s.whole_factorizer(room);
    s.system.gather([&](const matrix::Csr<T>& a) {
      // Perturbed where it cannot be helped: solves are corrected, L U and the determinant are not.
      result = solve::explicit_factors(
          *factorizer.template with_panels<T>(a, s.attempt, std::numeric_limits<RealOf<T>>::epsilon()));
      for (double& scale : result.row_scale) scale *= double(s.system.unit());
    });
  });
  return result;
}

template <Scalar T>
FactoredSystem<T> Solver<T>::factored_system() {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  FactoredSystem<T> result;
  mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "factored_system"});
    typename State::WholeFactorizer room{s.options};
    result.factors = s.whole_factorizer(room).to_give(s.attempt, s.report);
    s.system.gather([&](const matrix::Csr<T>& a) { result.a = s.system.as_given(a); });
  });
  return result;
}

template <Scalar T>
void Solver<T>::prepare(Op op, Index nrhs) {
  const OneCaller caller(state_->busy);
  state_->with_factors().refined->prepare(op, nrhs);
}

// In the groups of refinement, which have room.
template <Scalar T>
void Solver<T>::sweep(Vectors<const T> b, Vectors<T> x, Op op) {
  const OneCaller caller(state_->busy);
  State& s = state_->with_factors();
  mpi::revoke_on_error(s.comm, [&] {
    s.solver->require_fit(b, x);  // as a whole: parts of both have as many columns
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
