#include "solve_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "measure.hpp"
#include "solve_plan.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/report/trace.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/rows.hpp"
#include "trisweep/solve/singularity.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::cli {
namespace {

constexpr int most_automatic_steps = 20;

// In a row of op(A).
template <Scalar T>
Index most_entries(const matrix::Csr<T>& a, Op op) {
  std::vector<Index> entries(usize(std::max(a.rows(), a.cols())) + 1);
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Index j : a.pattern.row(i)) ++entries[usize(op == Op::none ? i : j)];
  }
  return *std::max_element(entries.begin(), entries.end());
}

// The job, step by step; each fills its part of the record. Members of rank 0 alone are marked.
template <Scalar T, Scalar F>
class SolveJob {
 public:
  SolveJob(const Context& context, const SolveOptions& options, const System<T>& system, Care care)
      : context_(context), options_(options), care_(care), a_(system.a), b_(system.b) {
    op_ = static_cast<Op>(options.op.front());
    if (care == Care::great) options_.axes.diagonal = {std::string(symbolic::diagonals().front().name)};
  }

  // Whether this is the best answer there is: one that satisfies its equations, and with factors of less
  // precision than the system has, one that nothing is to be said against.
  bool solve() {
    const Index node = ranks_of_first_node(world());
    transport::collectively(world(), [&] {
      if (context_.is_root()) factor(node);
    });
    share_choice();
    krylov::DistributedMatrix<T> a = set_up();
    time_solves();
    if (!options_.no_dependencies) refine(a);
    return std::same_as<T, F> ? satisfies_ : status_ == 0;
  }

  int finish(Outputs& outputs) {
    if (!options_.output.empty()) x_ = solve::gather_rows(world(), solver_->partition(), x_rows_, nrhs_);
    transport::collectively(world(), [&] {
      if (context_.is_root()) write(outputs);
    });
    if (context_.is_root()) report();
    return status_;
  }

 private:
  const transport::Communicator& world() const { return context_.world; }
  Index local_rows() const { return solver_->partition().count(world().rank()); }

  // Deals out the factors, the matrix and the right-hand sides, and makes the plan.
  krylov::DistributedMatrix<T> set_up() {
    const auto start = Clock::now();
    solver_ = std::make_unique<solve::TriangularSolver<F>>(world().handle(), std::move(factorization_),
                                                           solver_options());
    record_.solve.distribution_seconds = world().max(seconds_since(start));
    krylov::DistributedMatrix<T> a(world().handle(), context_.is_root() ? &a_ : nullptr,
                                   solver_->partition());
    b_rows_ = solve::scatter_rows(world(), solver_->partition(), b_);
    nrhs_ = b_.cols;
    world().broadcast(nrhs_);
    const auto plan_start = Clock::now();
    solver_->prepare(op_, nrhs_);
    record_.solve.plan_seconds = world().max(seconds_since(plan_start));
    record_.solve.setup_seconds = world().max(seconds_since(start));
    const auto bytes = static_cast<double>(solver_->panel_bytes());
    record_.solve.panel_bytes = world().sum(bytes);
    record_.solve.panel_bytes_max = world().max(bytes);
    return a;
  }

  solve::SolverOptions solver_options() const {
    return {.grid = choice_.grid,
            .mapping = distribution::find_mapping(choice_.mapping),
            .tree = plan::find_tree(choice_.tree),
            .schedule = plan::find_schedule(choice_.schedule).choice,
            .inter_grid = plan::find_inter_grid(choice_.inter_grid),
            .transport = transport::find_transport(choice_.transport).make,
            .threads = std::max(options_.threads, 1),
            .deterministic = options_.deterministic,
            .dependencies = !options_.no_dependencies,
            .watchdog = options_.watchdog};
  }

  void factor(Index ranks_of_node) {
    const PlanRequest request{
        .options = options_,
        .workload = {.nrhs = b_.cols, .scalar_bytes = sizeof(F), .complex = is_complex<F>},
        .ranks = world().size(),
        .ranks_of_node = ranks_of_node};
    // A matrix that Cholesky finds not definite has other factors, for which another plan may be the fastest.
    const auto likely = care_ == Care::usual ? solve::likely_kind(a_) : numeric::Kind::lu;
    for (auto kind = likely; !factorization_; kind = numeric::Kind::lu) {
      const SolvePlan plan = plan_solve(a_, kind, request, context_.terminal);
      describe_plan(plan);
      try_factor(plan.analysis);
    }
    describe_factors();
  }

  // Leaves no factorization when Cholesky does not work.
  void try_factor(std::shared_ptr<const solve::Analysis> analysis) {
    const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto start = Clock::now();
    numeric::Options options{.threads = options_.threads > 0 ? options_.threads : processors};
    if (care_ == Care::great) options.relative_threshold = great_threshold;
    auto done = solve::try_factor<F>(a_, std::move(analysis), options, context_.terminal);
    record_.factor.seconds += seconds_since(start);
    if (done) factorization_ = std::make_shared<const solve::Factorization<F>>(*std::move(done));
  }

  // Of two plans the second, with the time that both took.
  void describe_plan(const SolvePlan& plan) {
    choice_ = plan.choice;
    record_.factor.analysis_seconds += plan.analysis_seconds;
    record_.separators = plan.separators;
    const double before = record_.model ? record_.model->tuning_seconds : 0;
    record_.model = plan.model;
    if (record_.model) record_.model->tuning_seconds += before;
  }

  void share_choice() {
    world().broadcast(choice_.grid);
    for (const model::NamedAxis& axis : model::named_axes()) world().broadcast(choice_.*axis.value);
    if (options_.transport_given) return;
    if (const auto& usual = transport::usual_transport(world()); usual.preferred)
      choice_.transport = usual.name;
  }

  void describe_factors() {
    const auto& factors = *factorization_->factors;
    const auto estimate = numeric::estimate(*factors.structure, factors.kind, sizeof(F));
    record_.matrix = {.name = options_.matrix, .rows = a_.rows(), .nonzeros = a_.nonzeros()};
    record_.factor.kind = factors.kind == numeric::Kind::lu ? "lu" : "cholesky";
    record_.factor.nonzeros_l = estimate.nonzeros_l;
    record_.factor.nonzeros_u = estimate.nonzeros_u;
    record_.factor.bytes = factors.bytes();
    record_.factor.supernodes = factors.structure->supernodes();
    record_.factor.flops = estimate.all_flops();
    record_.factor.perturbed_pivots = factors.perturbed_pivots;
    record_.factor.delayed_pivots = factors.delayed_pivots;
    record_.factor.second_try = care_ == Care::great;
  }

  void time_solves() {
    std::vector<F> b(b_rows_.size()), x(b_rows_.size());
    std::transform(b_rows_.begin(), b_rows_.end(), b.begin(), [](const T& v) { return static_cast<F>(v); });
    std::vector<double> seconds;
    for (int r = 0; r < options_.repeat; ++r) {
      context_.terminal.progress("solve", double(r) / options_.repeat);
      solver_->solve(op_, {b.data(), local_rows(), nrhs_}, {x.data(), local_rows(), nrhs_});
      seconds.push_back(solver_->last().seconds);
    }
    for (double& s : seconds) s = world().max(s);
    std::sort(seconds.begin(), seconds.end());
    report::SolveRecord& s = record_.solve;
    s.nrhs = nrhs_;
    s.op = options_.op;
    s.precision = options_.precision;
    s.method = "direct";
    s.repeats = options_.repeat;
    s.seconds_min = seconds.front();
    s.seconds_median = seconds[seconds.size() / 2];
    s.l_seconds = world().max(solver_->last().l.seconds);
    s.u_seconds = world().max(solver_->last().u.seconds + solver_->last().diagonal.seconds);
    s.inter_grid_seconds = world().max(solver_->last().inter_grid.seconds);
    record_a_solve({b.data(), local_rows(), nrhs_}, {x.data(), local_rows(), nrhs_});
  }

  // One more, for what is known only when clocks are read all the time.
  void record_a_solve(Vectors<const F> b, Vectors<F> x) {
    engine::Recorder recorder(solver_->threads());
    solver_->record_in(&recorder);
    transport::check(MPI_Barrier(world().handle()), "MPI_Barrier");  // one origin of time on all ranks
    recorder.start();
    solver_->solve(op_, b, x);
    solver_->record_in(nullptr);
    record_.ranks = world().gather(report::rank_record(world().rank(), choice_.grid, solver_->last()));
    if (!options_.trace.empty() || !options_.traffic.empty()) events_ = world().gather(recorder.all());
  }

  void refine(krylov::DistributedMatrix<T>& a) {
    solve::RefinementOptions refinement;
    refinement.max_steps = options_.refine == "auto" ? most_automatic_steps : std::stoi(options_.refine);
    solve::RefinedSolver<T, F> refined(a, *solver_);
    refined.prepare(op_, nrhs_);
    x_rows_.resize(b_rows_.size());
    const auto start = Clock::now();
    const Vectors<T> x{x_rows_.data(), local_rows(), nrhs_};
    const auto result = refined.solve(op_, {b_rows_.data(), local_rows(), nrhs_}, x, refinement);
    report::SolveRecord& s = record_.solve;
    s.refinement_seconds = world().max(seconds_since(start));
    s.backward_error = result.error.normwise;
    s.componentwise_backward_error = result.error.componentwise;
    s.arioli_demmel_duff_backward_error = result.error.arioli_demmel_duff;
    s.refinement_steps = result.steps;
    s.solution_condition = refined.condition(op_, x, result.worst);
    // A residual is computed with that many roundings of the terms that it is measured by (LAPACK's xGERFS).
    const double rounding = (most_entries(a_, op_) + 1) * double(std::numeric_limits<RealOf<T>>::epsilon());
    const double error = s.componentwise_backward_error + rounding;
    s.forward_error_bound = s.solution_condition * error;
    s.componentwise_forward_error_bound = refined.componentwise_condition(op_, x, result.worst) * error;
    assess(solve::probe_singularity(a, *solver_));
  }

  // docs/run-record.md gives these rules. The condition estimate of perturbed factors is not A's: by itself
  // it proves nothing.
  void assess(const solve::Probe& probe) {
    constexpr double limit = 1 / double(std::numeric_limits<RealOf<T>>::epsilon());
    report::FactorRecord& f = record_.factor;
    f.condition_estimate = std::max(probe.condition, solve::estimate_condition(*solver_));
    satisfies_ = record_.solve.arioli_demmel_duff_backward_error <= most_backward_error / limit;
    const bool accurate = record_.solve.componentwise_backward_error <= most_backward_error / limit;
    f.numerically_singular =
        probe.condition >= limit ||
        (!probe.recovered && (satisfies_ || f.condition_estimate >= clearly_ill * limit));
    status_ = accurate && probe.recovered && !f.numerically_singular ? 0 : 1;
    digits_are_doubtful_ = f.condition_estimate >= limit || record_.solve.forward_error_bound >= no_digit;
  }

  void write(Outputs& outputs) {
    record_.version = TRISWEEP_VERSION;
    record_.machine = report::this_machine();
    record_.plan = report::plan_record(choice_);
    record_.plan.chosen_by = options_.grid_text == "auto" ? "model" : "user";
    record_.plan.threads = solver_->threads();
    record_.plan.deterministic = options_.deterministic;
    record_.plan.dependencies = !options_.no_dependencies;
    // All written before any appears; a solution that does not satisfy its equations does not appear at all.
    const bool with_solution = outputs.solution && satisfies_;
    if (with_solution) matrix::write_matrix_market(*outputs.solution, x_);
    if (outputs.json) outputs.json->write(report::to_json(record_));
    if (outputs.trace) outputs.trace->write(report::to_chrome_trace(events_, rank_names()));
    if (outputs.traffic) outputs.traffic->write(report::to_traffic_csv(events_));
    if (with_solution) outputs.solution->commit();
    for (auto* file : {&outputs.json, &outputs.trace, &outputs.traffic}) {
      if (*file) (*file)->commit();
    }
  }

  std::vector<std::string> rank_names() const {
    std::vector<std::string> names;
    for (const report::RankRecord& r : record_.ranks)
      names.push_back(fmt::format("rank {} ({}, {}, {})", r.rank, r.x, r.y, r.z));
    return names;
  }

  void report() const {
    context_.terminal.print_beside({options_.output, options_.json, options_.trace, options_.traffic},
                                   report::summary(record_));
    if (status_ != 0) {
      context_.terminal.error(report::verdict(record_, satisfies_));
    } else if (digits_are_doubtful_) {
      context_.terminal.warn(report::caution(record_));
    }
  }

  // In units of the precision: 1.1e-13 in double.
  static constexpr double most_backward_error = 450;
  static constexpr double clearly_ill = 0.01;
  static constexpr double no_digit = 1;  // is right, for all that is known
  static constexpr double great_threshold = 0.5;

  const Context& context_;
  SolveOptions options_;
  Care care_;
  const matrix::Csr<T>& a_;    // rank 0
  const matrix::Dense<T>& b_;  // rank 0
  Op op_{};
  model::PlanChoice choice_;  // of rank 0 until it is shared
  Index nrhs_ = 1;
  int status_ = 0;
  bool satisfies_ = false;  // the solution its equations, those of small unknowns perhaps excepted
  bool digits_are_doubtful_ = false;
  report::RunRecord record_;                                      // complete on rank 0
  matrix::Dense<T> x_;                                            // rank 0, when it is to be written
  std::shared_ptr<const solve::Factorization<F>> factorization_;  // rank 0, until distributed
  std::unique_ptr<solve::TriangularSolver<F>> solver_;
  std::vector<T> b_rows_;
  std::vector<T> x_rows_;
  report::RankEvents events_;  // rank 0, when they are to be written
};

}  // namespace

template <Scalar T, Scalar F>
std::optional<int> solve_system(const Context& context, const SolveOptions& options, const System<T>& system,
                                Outputs& outputs, Care care, bool may_fail) {
  SolveJob<T, F> job(context, options, system, care);
  if (!job.solve() && may_fail) return std::nullopt;
  return job.finish(outputs);
}

#define INSTANTIATE(T, F)                                                                               \
  template std::optional<int> solve_system<T, F>(const Context&, const SolveOptions&, const System<T>&, \
                                                 Outputs&, Care, bool);
#define INSTANTIATE_SAME(T) INSTANTIATE(T, T)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_SAME)
INSTANTIATE(double, float)
INSTANTIATE(std::complex<double>, std::complex<float>)

}  // namespace trisweep::cli
