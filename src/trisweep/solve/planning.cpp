#include "trisweep/solve/planning.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/model/analysis_options.hpp"

namespace trisweep::solve {
namespace {

model::Machine machine_for(const PlanRequest& request) {
  model::Machine machine = model::find_machine(request.machine.empty() ? "generic" : request.machine);
  if (request.machine.empty()) {
    machine.ranks_per_node = request.ranks_of_node;
    machine.ranks_per_memory = std::min(machine.ranks_per_memory, request.ranks_of_node);
  }
  if (request.threads > 0) machine.workers = request.threads;
  return machine;
}

// False if all choices give the same plan, so that none is priced: on one rank most axes make no difference.
bool leaves_a_choice(const model::PlanAxes& axes) {
  const std::string usual = model::canonical(axes.usual(), axes).name();
  const auto matters = [&](const model::NamedAxis& axis) {
    return std::ranges::any_of(axes.*axis.values, [&](const std::string& value) {
      model::PlanChoice other = axes.usual();
      other.*axis.value = value;
      return model::canonical(std::move(other), axes).name() != usual;
    });
  };
  return axes.grid.size() > 1 || std::ranges::any_of(model::named_axes(), matters);
}

// Returns the number of plans whose simulation takes about as long as the factorization, at least one. A
// simulation takes some 0.3 us per supernode and rank (AMD EPYC, 29 November 2026).
std::size_t affordable_plans(const model::PlanProblem& problem, Index ranks) {
  constexpr double seconds_of_supernode = 3e-7, seconds_of_flop = 5e-10, seconds_of_byte = 1e-9;
  constexpr double unnoticed = 0.1;  // seconds
  const auto& [diagonal, structure] = problem.analyzed.front();
  const auto factors = estimate_factors(problem, diagonal);
  const double affordable =
      unnoticed + seconds_of_flop * factors.all_flops() + seconds_of_byte * double(factors.factor_bytes);
  return static_cast<std::size_t>(
      std::max(1.0, affordable / (seconds_of_supernode * double(structure->supernodes()) * ranks)));
}

ModelAdvice ask(const model::PlanProblem& problem, const model::Machine& machine, const model::PlanAxes& axes,
                Observer& observer) {
  const auto start = Clock::now();
  const std::size_t most = affordable_plans(problem, axes.grid.front().ranks());
  ModelAdvice advice{.machine = machine.name,
                     .tuning = model::search(problem, machine, axes, observer, most)};
  advice.seconds = seconds_since(start);
  return advice;
}

// Prices the advised plan with b and x distributed as in `problem`.
void price_from_b_to_x(const model::PlanProblem& problem, const model::Machine& machine,
                       ModelAdvice& advice) {
  const auto start = Clock::now();
  const model::PlanChoice& choice = advice.tuning.best().choice;
  const auto prediction =
      model::simulate(model::ChosenPlan(problem, choice).plans(machine), machine,
                      machine.network(choice.transport, choice.grid.ranks()), problem.workload);
  advice.solve_seconds = prediction.seconds;
  for (const model::RankTimes& rank : prediction.rank)
    advice.vector_seconds = std::max(advice.vector_seconds, rank.vector_seconds);
  advice.seconds += seconds_since(start);
}

// The choices of the diagonal, and the analysis for each.
struct Choices {
  std::span<const std::string> diagonals;
  std::vector<const Analysis*> analyses;
};
std::vector<const Analysis*> pointers_to(const std::vector<Analysis>& analyses) {
  std::vector<const Analysis*> pointers;
  for (const Analysis& analysis : analyses) pointers.push_back(&analysis);
  return pointers;
}

struct Chosen {
  PlannedSystem planned;  // without its analysis
  std::size_t analysis;   // index of its analysis in Choices
  model::PlanProblem problem;
};

// product(): returns the share of a product with A of one rank.
template <class Product>
Chosen choose(const Product& product, const Choices& choices, const PlanRequest& request,
              Observer& observer) {
  Chosen chosen;
  auto& [planned, analysis, problem] = chosen;
  problem = {.upper_is_lower = !numeric::has_upper(choices.analyses.front()->kind),
             .op = request.op,
             .workload = request.workload,
             .tiling = {.on_one_rank = request.on_gpus}};
  for (std::size_t i = 0; i < choices.analyses.size(); ++i)
    problem.analyzed.push_back({choices.diagonals[i], choices.analyses[i]->structure});
  planned.choice = request.axes.usual();
  if (leaves_a_choice(request.axes) || !request.machine.empty()) {
    problem.product = product();
    planned.model = ask(problem, machine_for(request), request.axes, observer);
    planned.choice = planned.model->tuning.best().choice;
  }
  planned.separators = separators_cost(problem, planned.choice);
  const auto at = std::ranges::find(choices.diagonals, planned.choice.diagonal);
  analysis = static_cast<std::size_t>(at - choices.diagonals.begin());
  return chosen;
}

// Adds the analysis to the chosen plan, and prices the plan from b to x.
PlannedSystem planned_with(std::shared_ptr<const Analysis> analysis, Chosen chosen,
                           const PlanRequest& request) {
  auto& [planned, which, problem] = chosen;
  planned.analysis = std::move(analysis);
  if (planned.model) {
    problem.vectors = std::make_shared<const plan::VectorPlaces>(
        plan::vector_places(planned.analysis->ordering, request.rows));
    price_from_b_to_x(problem, machine_for(request), *planned.model);
  }
  return std::move(planned);
}

}  // namespace

PlannedSystem plan_with(const model::ProductShare& product, std::shared_ptr<const Analysis> analysis,
                        const PlanRequest& request, Observer& observer) {
  auto chosen = choose([&] { return product; }, {request.axes.diagonal, {analysis.get()}}, request, observer);
  return planned_with(std::move(analysis), std::move(chosen), request);
}

PlannedSystem plan_with(const model::ProductShare& product, const WantedAnalyses& wanted,
                        std::vector<Analysis> analyses, const PlanRequest& request, Observer& observer) {
  auto chosen = choose([&] { return product; }, {wanted.diagonals, pointers_to(analyses)}, request, observer);
  auto analysis = std::make_shared<const Analysis>(std::move(analyses[chosen.analysis]));
  return planned_with(std::move(analysis), std::move(chosen), request);
}

WantedAnalyses wanted_analyses(const PlanRequest& request) {
  WantedAnalyses wanted{.diagonals = model::diagonals_to_analyze(request.axes),
                        .symbolic = {},
                        .ordering = model::ordering_options(request.ordering, request.axes, request.on_gpus)};
  for (const std::string& diagonal : wanted.diagonals)
    wanted.symbolic.push_back(
        model::symbolic_options(diagonal, request.axes.grid.front().ranks(), request.on_gpus));
  wanted.ordering.numbers = request.numbers;
  wanted.ordering.balanced = request.balanced;
  wanted.ordering.helpers = request.helpers;
  return wanted;
}

template <Scalar T>
PlannedSystem plan_system(const matrix::Csr<T>& a, numeric::Kind kind, const PlanRequest& request,
                          Observer& observer) {
  const auto start = Clock::now();
  const WantedAnalyses wanted = wanted_analyses(request);
  auto analyses = analyze_each_as(kind, a, wanted.ordering, wanted.symbolic, observer);
  double seconds = seconds_since(start);
  auto chosen = choose([&] { return model::product_share(a.pattern, request.axes.grid.front().ranks()); },
                       {wanted.diagonals, pointers_to(analyses)}, request, observer);
  const auto chosen_at = Clock::now();
  Analysis& one = analyses[chosen.analysis];
  if (request.clusters) one = in_clusters(a, std::move(one));
  if (request.axes.grid.front().ranks() == 1) one = with_fronts(a, std::move(one));
  auto analysis = std::make_shared<const Analysis>(std::move(one));
  seconds += seconds_since(chosen_at);
  PlannedSystem planned = planned_with(std::move(analysis), std::move(chosen), request);
  planned.analysis_seconds = seconds;
  return planned;
}

#define INSTANTIATE(T) \
  template PlannedSystem plan_system(const matrix::Csr<T>&, numeric::Kind, const PlanRequest&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
