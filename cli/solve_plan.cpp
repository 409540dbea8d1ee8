#include "solve_plan.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/report/tuning.hpp"

namespace trisweep::cli {
namespace {

// The machine that the user named; else the ranks at hand, on a generic one.
model::Machine machine_for(const PlanRequest& request) {
  const SolveOptions& options = request.options;
  model::Machine machine = model::find_machine(options.machine.empty() ? "generic" : options.machine);
  if (options.machine.empty()) {
    machine.ranks_per_node = request.ranks_of_node;
    machine.ranks_per_memory = std::min(machine.ranks_per_memory, request.ranks_of_node);
  }
  if (options.threads > 0) machine.workers = options.threads;
  return machine;
}

// By the model, unless there is nothing to choose and no machine to predict for.
void choose(const model::PlanProblem& problem, const PlanRequest& request, Observer& observer,
            SolvePlan& plan) {
  const SolveOptions& options = request.options;
  plan.choice = options.axes.usual();
  if (options.grid_text != "auto" && options.machine.empty()) return;
  const auto start = Clock::now();
  const model::Machine machine = machine_for(request);
  const model::Tuning tuning = model::search(problem, machine, options.axes, observer);
  plan.choice = tuning.best().choice;
  const auto reasons = report::reasons(tuning);
  plan.model = {.machine = machine.name,
                .predicted_seconds = tuning.best().seconds,
                .tuning_seconds = seconds_since(start),
                .simulated = static_cast<Index>(tuning.candidates.size()),
                .ruled_out = static_cast<Index>(tuning.ruled_out.size()),
                .reasons = {reasons.begin(), reasons.end()}};
}

}  // namespace

template <Scalar T>
SolvePlan plan_solve(const matrix::Csr<T>& a, numeric::Kind kind, const PlanRequest& request,
                     Observer& observer) {
  const SolveOptions& options = request.options;
  const auto start = Clock::now();
  const std::vector<std::string> diagonals = diagonals_to_analyze(options.axes);
  std::vector<symbolic::Options> symbolic;
  for (const std::string& diagonal : diagonals) symbolic.push_back(symbolic_options(diagonal, request.ranks));
  auto analyses =
      solve::analyze_each_as(kind, a, ordering_options(options, request.ranks), symbolic, observer);
  SolvePlan plan{.analysis_seconds = seconds_since(start)};

  model::PlanProblem problem{.cholesky = kind == numeric::Kind::cholesky,
                             .op = static_cast<Op>(options.op.front()),
                             .workload = request.workload};
  for (std::size_t i = 0; i < analyses.size(); ++i)
    problem.analyzed.push_back({diagonals[i], analyses[i].structure});
  choose(problem, request, observer, plan);
  plan.separators = report::separators_record(problem, plan.choice);
  const auto chosen = std::ranges::find(diagonals, plan.choice.diagonal) - diagonals.begin();
  plan.analysis = std::make_shared<const solve::Analysis>(std::move(analyses[usize(chosen)]));
  return plan;
}

#define INSTANTIATE(T) \
  template SolvePlan plan_solve(const matrix::Csr<T>&, numeric::Kind, const PlanRequest&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
