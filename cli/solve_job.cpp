#include "solve_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "measure.hpp"
#include "system.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/report/trace.hpp"
#include "trisweep/report/tuning.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/rows.hpp"
#include "trisweep/solve/singularity.hpp"

namespace trisweep::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr int most_automatic_steps = 20;

// The job, step by step; each fills its part of the record. Members of rank 0 alone are marked.
template <Scalar T, Scalar F>
class SolveJob {
 public:
  SolveJob(const Context& context, const SolveOptions& options) : context_(context), options_(options) {
    op_ = static_cast<Op>(options.op.front());
  }

  int run(System system, Outputs outputs) {
    const Index node = ranks_of_first_node(world());
    transport::collectively(world(), [&] {
      if (context_.is_root()) factor(std::move(system), node);
    });
    share_choice();
    const auto start = Clock::now();
    solver_ = std::make_unique<solve::TriangularSolver<F>>(
        world().handle(), std::move(factorization_),
        solve::SolverOptions{.grid = choice_.grid,
                             .mapping = distribution::find_mapping(choice_.mapping),
                             .tree = plan::find_tree(choice_.tree),
                             .schedule = plan::find_schedule(choice_.schedule),
                             .inter_grid = plan::find_inter_grid(choice_.inter_grid),
                             .transport = transport::find_transport(choice_.transport),
                             .threads = std::max(options_.threads, 1),
                             .deterministic = options_.deterministic,
                             .dependencies = !options_.no_dependencies,
                             .watchdog = options_.watchdog});
    solve::DistributedMatrix<T> a(world().handle(), context_.is_root() ? &a_ : nullptr, solver_->partition());
    b_rows_ = solve::scatter_rows(world(), solver_->partition(), b_);
    nrhs_ = options_.nrhs;
    if (context_.is_root()) nrhs_ = b_.cols;
    world().broadcast(nrhs_);
    solver_->prepare(op_, nrhs_);
    record_.solve.setup_seconds = world().max(seconds_since(start));
    const auto bytes = static_cast<double>(solver_->panel_bytes());
    record_.solve.panel_bytes = world().sum(bytes);
    record_.solve.panel_bytes_max = world().max(bytes);
    time_solves();
    if (options_.no_dependencies) {
      record_.solve.backward_error = std::numeric_limits<double>::quiet_NaN();
    } else {
      refine(a);
    }
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

  void factor(System system, Index ranks_of_node) {
    a_ = take_matrix<T>(std::move(system.a));
    b_ = system.b ? take_rhs<T>(*system.b) : made_up_rhs(a_, op_, options_.nrhs);
    solve::FactorOptions factor_options;
    factor_options.numeric.threads =
        options_.threads > 0 ? options_.threads
                             : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    auto analysis = std::make_shared<const solve::Analysis>(analyze(factor_options.analysis, ranks_of_node));
    const auto start = Clock::now();
    factorization_ = std::make_shared<const solve::Factorization<F>>(
        solve::factor<F>(a_, std::move(analysis), factor_options, context_.terminal));
    record_.factor.seconds = seconds_since(start);
    describe_factors();
  }

  // The analysis for the plan that is chosen now, and how it is made.
  solve::Analysis analyze(solve::AnalysisOptions& how, Index ranks_of_node) {
    const auto start = Clock::now();
    const Index ranks = world().size();
    how.ordering = ordering_options(options_, ranks);
    std::vector<symbolic::Options> symbolic;
    for (const std::string& diagonal : options_.axes.diagonal)
      symbolic.push_back(symbolic_options(diagonal, ranks));
    auto analyses = solve::analyze_each(a_, how.ordering, symbolic, context_.terminal);
    record_.factor.analysis_seconds = seconds_since(start);
    choose(analyses, ranks_of_node);
    const auto chosen = std::ranges::find(options_.axes.diagonal, choice_.diagonal);
    how.symbolic = symbolic[usize(chosen - options_.axes.diagonal.begin())];
    return std::move(analyses[usize(chosen - options_.axes.diagonal.begin())]);
  }

  // By the model, unless there is nothing to choose and no machine to predict for.
  void choose(const std::vector<solve::Analysis>& analyses, Index ranks_of_node) {
    choice_ = options_.axes.usual();
    if (options_.grid_text != "auto" && options_.machine.empty()) return;
    const auto start = Clock::now();
    model::PlanProblem problem{
        .cholesky = analyses.front().kind == numeric::Kind::cholesky,
        .op = op_,
        .workload = {.nrhs = b_.cols, .scalar_bytes = sizeof(F), .complex = is_complex<F>}};
    for (std::size_t i = 0; i < analyses.size(); ++i)
      problem.analyzed.push_back({options_.axes.diagonal[i], analyses[i].structure});
    const model::Machine machine = machine_for(ranks_of_node);
    const model::Tuning tuning = model::search(problem, machine, options_.axes, context_.terminal);
    choice_ = tuning.best().choice;
    const auto reasons = report::reasons(tuning);
    record_.model = {.machine = machine.name,
                     .predicted_seconds = tuning.best().seconds,
                     .tuning_seconds = seconds_since(start),
                     .simulated = static_cast<Index>(tuning.candidates.size()),
                     .ruled_out = static_cast<Index>(tuning.ruled_out.size()),
                     .reasons = {reasons.begin(), reasons.end()}};
  }

  model::Machine machine_for(Index ranks_of_node) const {
    model::Machine machine = model::find_machine(options_.machine.empty() ? "generic" : options_.machine);
    if (options_.machine.empty()) {
      machine.ranks_per_node = ranks_of_node;
      machine.ranks_per_memory = std::min(machine.ranks_per_memory, ranks_of_node);
    }
    if (options_.threads > 0) machine.workers = options_.threads;
    return machine;
  }

  void share_choice() {
    world().broadcast(choice_.grid);
    for (const model::NamedAxis& axis : model::named_axes()) world().broadcast(choice_.*axis.value);
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
    record_.factor.perturbed_pivots = factors.perturbed_pivots;
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
  void record_a_solve(solve::Columns<const F> b, solve::Columns<F> x) {
    solve::Recorder recorder(solver_->threads());
    solver_->record_in(&recorder);
    transport::check(MPI_Barrier(world().handle()), "MPI_Barrier");  // one origin of time on all ranks
    recorder.start();
    solver_->solve(op_, b, x);
    solver_->record_in(nullptr);
    describe_ranks();
    if (!options_.trace.empty() || !options_.traffic.empty()) events_ = world().gather(recorder.all());
  }

  static report::MessageRecord message_record(const solve::Activity& all, plan::MessageKind kind) {
    const auto k = plan::index_of(kind);
    return {all.sent[k].messages, all.sent[k].bytes, all.received[k].messages, all.received[k].bytes};
  }

  void describe_ranks() {
    const solve::SolveActivity& last = solver_->last();
    const auto point = choice_.grid.point(world().rank());
    const solve::Activity all = last.sum();
    const double sweeps = last.l.seconds + last.u.seconds + last.diagonal.seconds;
    const report::RankRecord mine{.rank = world().rank(),
                                  .x = point.x,
                                  .y = point.y,
                                  .z = point.z,
                                  .l_seconds = last.l.seconds,
                                  .u_seconds = last.u.seconds + last.diagonal.seconds,
                                  .floating_point_seconds = all.floating_point_seconds,
                                  .intra_grid_seconds = sweeps - all.floating_point_seconds,
                                  .inter_grid_seconds = last.inter_grid.seconds,
                                  .idle_seconds = all.idle_seconds,
                                  .messages = {message_record(all, plan::MessageKind::broadcast),
                                               message_record(all, plan::MessageKind::reduction),
                                               message_record(all, plan::MessageKind::exchange)}};
    record_.ranks = world().gather(mine);
  }

  void refine(solve::DistributedMatrix<T>& a) {
    solve::RefinementOptions refinement;
    refinement.max_steps = options_.refine == "auto" ? most_automatic_steps : std::stoi(options_.refine);
    solve::RefinedSolver<T, F> refined(a, *solver_);
    x_rows_.resize(b_rows_.size());
    const auto start = Clock::now();
    const auto result = refined.solve(op_, {b_rows_.data(), local_rows(), nrhs_},
                                      {x_rows_.data(), local_rows(), nrhs_}, refinement);
    record_.solve.refinement_seconds = world().max(seconds_since(start));
    record_.solve.backward_error = result.backward_error;
    record_.solve.refinement_steps = result.steps;
    assess(solve::probe_singularity(a, *solver_));
  }

  // docs/run-record.md gives these rules. The condition estimate of perturbed factors is not A's: by itself
  // it proves nothing.
  void assess(const solve::Probe& probe) {
    constexpr double limit = 1 / double(std::numeric_limits<RealOf<T>>::epsilon());
    report::FactorRecord& f = record_.factor;
    f.condition_estimate = std::max(probe.condition, solve::estimate_condition(*solver_));
    f.numerically_singular =
        probe.condition >= limit || (!probe.recovered && f.condition_estimate >= clearly_ill * limit);
    const bool accurate = record_.solve.backward_error <= most_backward_error / limit;
    status_ = accurate && probe.recovered && !f.numerically_singular ? 0 : 1;
    digits_are_doubtful_ = f.condition_estimate >= limit;
  }

  void write(Outputs& outputs) {
    record_.version = TRISWEEP_VERSION;
    record_.machine = report::this_machine();
    record_.plan = report::plan_record(choice_);
    record_.plan.chosen_by = options_.grid_text == "auto" ? "model" : "user";
    record_.plan.threads = solver_->threads();
    record_.plan.deterministic = options_.deterministic;
    record_.plan.dependencies = !options_.no_dependencies;
    // All written before any appears; a solution that is not to be trusted does not appear at all.
    const bool with_solution = outputs.solution && status_ == 0;
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
      context_.terminal.error(report::verdict(record_));
    } else if (digits_are_doubtful_) {
      context_.terminal.warn(report::caution(record_));
    }
  }

  // In units of the precision: 1.1e-13 in double.
  static constexpr double most_backward_error = 450;
  static constexpr double clearly_ill = 0.01;

  const Context& context_;
  const SolveOptions& options_;
  Op op_{};
  model::PlanChoice choice_;  // of rank 0 until it is shared
  Index nrhs_ = 1;
  int status_ = 0;
  bool digits_are_doubtful_ = false;
  report::RunRecord record_;                                      // complete on rank 0
  matrix::Csr<T> a_;                                              // rank 0
  matrix::Dense<T> b_;                                            // rank 0
  matrix::Dense<T> x_;                                            // rank 0, when it is to be written
  std::shared_ptr<const solve::Factorization<F>> factorization_;  // rank 0, until distributed
  std::unique_ptr<solve::TriangularSolver<F>> solver_;
  std::vector<T> b_rows_;
  std::vector<T> x_rows_;
  report::RankEvents events_;  // rank 0, when they are to be written
};

}  // namespace

template <Scalar T, Scalar F>
int solve_system(const Context& context, const SolveOptions& options, System system, Outputs outputs) {
  return SolveJob<T, F>(context, options).run(std::move(system), std::move(outputs));
}

#define INSTANTIATE(T) template int solve_system<T, T>(const Context&, const SolveOptions&, System, Outputs);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
template int solve_system<double, float>(const Context&, const SolveOptions&, System, Outputs);
template int solve_system<std::complex<double>, std::complex<float>>(const Context&, const SolveOptions&,
                                                                     System, Outputs);

}  // namespace trisweep::cli
