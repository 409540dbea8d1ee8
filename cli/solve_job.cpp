#include "solve_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "saved_factors.hpp"
#include "sparse_solve.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/report/trace.hpp"
#include "trisweep/solve/compression_choice.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

constexpr int most_automatic_steps = 20;
constexpr int most_answers = 100;  // number of timed answers
constexpr double no_digit = 1;     // relative forward error at which no digit of an answer need be correct

bool is_number(const std::string& refine) {
  return refine != "auto" && refine != "best";
}

}  // namespace

solve::SolverOptions solver_options(const SolveOptions& o, Index nrhs, Observer& observer) {
  return {.plan = o.axes,
          .usual_transport = !o.transport_given,
          .machine = o.machine,
          .op = static_cast<Op>(o.op.front()),
          .nrhs = nrhs,
          .ordering = ordering::find_method(o.ordering).method,
          .kind = numeric::find_kind_choice(o.kind),
          .factorization = find_factorization(o.factorization),
          .mixed = model::find_precision(o.precision).mixed(),
          .compress = *compress_option(o.compress),
          .device = engine::find_device(o.device),
          .exchange_backend = o.exchange_backend.empty()
                                  ? std::nullopt
                                  : std::optional(engine::find_exchange_backend(o.exchange_backend)),
          .threads = o.threads,
          .deterministic = o.deterministic,
          .dependencies = !o.no_dependencies,
          .watchdog = o.watchdog,
          .refinement = {.best = o.refine == "best",
                         .max_steps = is_number(o.refine) ? std::stoi(o.refine) : most_automatic_steps},
          .block_triangular = solve::find_block_triangular(o.block_triangular),
          // A user who limits the refinement wants to see its result, not that of a second try.
          .second_try = !is_number(o.refine),
          .observer = &observer};
}

namespace {

// The job, step by step; each fills its part of the record. Members of rank 0 alone are marked.
template <Scalar T>
class SolveJob {
 public:
  SolveJob(const Context& context, const SolveOptions& options, System<T> system)
      : context_(context), options_(options), op_(static_cast<Op>(options.op.front())) {
    record_.matrix = {.name = options.given(), .rows = system.size(), .nonzeros = system.nonzeros};
    nrhs_ = system.nrhs;
    auto factors =
        options.factors.empty() ? solve::FactorSources<T>{} : load_given_factors<T>(world(), options.factors);
    solver_.emplace(world().handle(), std::move(system.a), solver_options(options, nrhs_, context.terminal),
                    std::move(factors));
    b_rows_ = std::move(system.b);
    wanted_ = WantedRows(world(), solver_->partition(), std::move(system.rows));
    sparse_ = SparseRightHandSides<T>(world(), b());
    x_rows_.resize(usize(x_count()) * usize(nrhs_));
  }

  int run(Outputs& outputs) {
    if (!options_.no_dependencies) solve();
    time_solves();
    write_solution(outputs);
    mpi::agree_on_error(world(), [&] {
      if (context_.is_root()) write(outputs);
    });
    if (context_.is_root()) report();
    return status();
  }

 private:
  const mpi::Communicator& world() const { return context_.world; }
  Vectors<const T> b() const { return {b_rows_.data(), solver_->rows(), nrhs_}; }
  // Number of rows of this rank's part of the solution.
  Index x_count() const { return wanted_.given() ? std::ssize(wanted_.local()) : solver_->rows(); }
  Vectors<T> columns(std::vector<T>& x) const { return {x.data(), x_count(), nrhs_}; }
  solve::Answer answer(Vectors<T> x) {
    if (wanted_.given()) return solver_->solve_rows(sparse_.columns(), wanted_.local(), x, op_);
    return sparse_.pays() ? solver_->solve_sparse(b(), x, op_) : solver_->solve(b(), x, op_);
  }
  void sweep(Vectors<T> x) { wanted_.given() ? static_cast<void>(answer(x)) : solver_->sweep(b(), x, op_); }
  int status() const { return options_.no_dependencies || answer_.solved() ? 0 : 1; }

  void solve() {
    const Vectors<T> x = columns(x_rows_);
    answer_ = answer(x);
    solver_->condition_estimate();  // for the record
    if (!wanted_.given()) forward_error_ = solver_->forward_error(answer_, b(), x, op_);
    report::SolveRecord& s = record_.solve;
    s.first_answer_seconds = world().max(answer_.seconds);
    s.reductions = answer_.reductions;
    s.small_equations = answer_.small.equations;
    s.small_size = answer_.small.size;
    s.rows = wanted_.count();
    s.panel_share = answer_.panel_share;
    s.of_sample = answer_.of_sample;
    for (std::size_t c = 0; c < answer_.columns.size(); ++c) {
      const bool solved = answer_.is_regular() && solve::satisfies<T>(answer_.columns[c]);
      if (!solved) s.unsolved.push_back(static_cast<Index>(c));
    }
    s.backward_error = answer_.error.normwise;
    s.componentwise_backward_error = answer_.error.componentwise;
    s.arioli_demmel_duff_backward_error = answer_.error.arioli_demmel_duff;
    s.refinement_steps = answer_.refinement_steps;
    s.solution_condition = forward_error_.solution_condition;
    s.forward_error_bound = forward_error_.bound;
    s.componentwise_forward_error_bound = forward_error_.componentwise_bound;
  }

  // Times sweeps and answers in turns. The watchdog notices a lost rank in sweeps, but not in the reductions
  // of answers, so that the number of answers is limited to what their time requires.
  void time_solves() {
    std::vector<T> room(x_rows_.size());
    const Vectors<T> x = columns(room);
    report::SolveRecord& s = record_.solve;
    s.repeats = options_.repeat;
    enum Part { all, l, u, inter_grid, vectors, answers, parts };
    std::array<std::vector<double>, parts> seconds;
    for (int r = 0; r < s.repeats; ++r) {
      context_.terminal.progress("solve", double(r) / s.repeats);
      if (!options_.no_dependencies && r < most_answers) seconds[answers].push_back(answer(x).seconds);
      sweep(x);
      const engine::SolveProfile& p = solver_->last_sweep();
      seconds[all].push_back(p.seconds);
      seconds[l].push_back(p.l.seconds);
      seconds[u].push_back(p.u.seconds + p.diagonal.seconds);
      seconds[inter_grid].push_back(p.inter_grid.seconds);
      seconds[vectors].push_back(p.vectors.seconds);
    }
    for (std::vector<double>& of_repeats : seconds) {
      world().max(of_repeats);
      std::sort(of_repeats.begin(), of_repeats.end());
    }
    const auto median = [&](Part part) { return seconds[part][seconds[part].size() / 2]; };
    s.seconds_min = seconds[all].front();
    s.seconds_median = median(all);
    s.l_seconds = median(l);
    s.u_seconds = median(u);
    s.inter_grid_seconds = median(inter_grid);
    s.vector_seconds = median(vectors);
    if (!options_.no_dependencies) {
      s.refinement_seconds = seconds[answers].front();
      s.answer_seconds_median = median(answers);
    }
    record_a_sweep(x);
  }

  // Runs one more sweep for the trace, which needs clock readings that would slow down timed sweeps.
  void record_a_sweep(Vectors<T> x) {
    engine::Recorder recorder(solver_->report().threads);
    solver_->record_in(&recorder);
    mpi::check(MPI_Barrier(world().handle()), "MPI_Barrier");  // one origin of time on all ranks
    recorder.start();
    sweep(x);
    solver_->record_in(nullptr);
    const auto& grid = solver_->report().plan.grid;
    record_.ranks = world().gather(report::rank_record(world().rank(), grid, solver_->last_sweep()));
    if (!options_.trace.empty() || !options_.traffic.empty()) events_ = world().gather(recorder.all());
  }

  void describe() {
    const solve::Report& made = solver_->report();
    record_.version = version();
    record_.machine = report::this_machine();
    record_.factor = made.factor;
    record_.separators = made.separators;
    if (made.model) record_.model = report::model_record(*made.model);
    record_.plan = report::plan_record(made.plan, options_.device);
    record_.plan.chosen_by = options_.chosen_by();
    record_.plan.threads = made.threads;
    record_.plan.deterministic = options_.deterministic;
    record_.plan.exchange_backend = made.exchange_backend;
    record_.plan.dependencies = !options_.no_dependencies;
    report::SolveRecord& s = record_.solve;
    s.nrhs = nrhs_;
    s.op = options_.op;
    s.precision = options_.precision;
    s.method = direct;
    s.distribution_seconds = made.distribution_seconds;
    s.plan_seconds = made.plan_seconds;
    s.setup_seconds = made.setup_seconds;
    if (made.factor.compression_eps > 0) {
      const double share = double(made.factor.bytes) / double(made.factor.uncompressed_bytes);
      const int passes_of_whole = solve::passes_of_whole_factors(
          {.best = options_.refine == "best"}, model::find_precision(options_.precision).mixed());
      const double saved = solve::saved_by_compression(share, s.seconds_median, s.refinement_seconds,
                                                       s.refinement_steps + 1, passes_of_whole);
      s.compression_pays_from = saved > 0 ? made.factor.compression_seconds / saved : HUGE_VAL;
    }
    s.panel_bytes = made.panel_bytes;
    s.panel_bytes_max = made.panel_bytes_max;
  }

  // Whatever the verdict.
  void write_solution(Outputs& outputs) {
    if (options_.output.empty()) return;
    if (!wanted_.given())
      return write_vectors<T>(world(), solver_->partition(), columns(x_rows_), outputs.solution);
    const auto x = wanted_.gather(world(), x_rows_, nrhs_);
    mpi::agree_on_error(world(), [&] {
      if (outputs.solution) matrix::write_matrix_market(*outputs.solution, x);
    });
  }

  // Writes the other outputs before any becomes visible.
  void write(Outputs& outputs) {
    describe();
    if (outputs.json) outputs.json->write(report::to_json(record_));
    if (outputs.trace) outputs.trace->write(report::to_chrome_trace(events_, rank_names()));
    if (outputs.traffic) outputs.traffic->write(report::to_traffic_csv(events_));
    for (auto* file : {&outputs.solution, &outputs.json, &outputs.trace, &outputs.traffic}) {
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
    if (status() != 0) {
      context_.terminal.error(report::verdict(record_, answer_.satisfies));
    } else if (answer_.ill_conditioned || forward_error_.bound >= no_digit) {
      context_.terminal.warn(report::caution(record_));
    }
  }

  const Context& context_;
  const SolveOptions& options_;
  Op op_;
  Index nrhs_ = 1;
  std::optional<Solver<T>> solver_;
  std::vector<T> b_rows_, x_rows_;  // this rank's
  WantedRows wanted_;
  SparseRightHandSides<T> sparse_;
  solve::Answer answer_;
  solve::ForwardError forward_error_;
  report::RunRecord record_;   // complete on rank 0
  report::RankEvents events_;  // rank 0, when they are to be written
};

}  // namespace

template <Scalar T>
int solve_system(const Context& context, const SolveOptions& options, System<T> system, Outputs outputs) {
  return SolveJob<T>(context, options, std::move(system)).run(outputs);
}

#define INSTANTIATE(T) template int solve_system<T>(const Context&, const SolveOptions&, System<T>, Outputs);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
