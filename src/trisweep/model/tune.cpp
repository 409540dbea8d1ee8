#include "trisweep/model/tune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trisweep/model/lower_bound.hpp"

namespace trisweep::model {
namespace {

// A plan is simulated only if its bound allows at least this gain: less would not show on a machine.
constexpr double least_gain = 0.02;

// Times and bounds of the plans so far, by name.
class Prices {
 public:
  // Simulates at most `most` plans.
  Prices(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes, std::size_t most)
      : problem_(problem),
        machine_(machine),
        axes_(axes),
        most_(most),
        besides_sweep_(answer_price(0, 0, problem.product, machine, problem.workload).seconds()) {}

  double best_seconds() const { return best_; }
  bool has_enough() const { return simulated_.size() >= most_; }

  // Seconds of an answer. Infinite if the plan is not simulated: it cannot beat the best by much, or enough
  // others have been simulated.
  double seconds(const PlanChoice& any) {
    const PlanChoice choice = canonical(any, axes_);
    const std::string name = choice.name();
    if (const auto found = simulated_.find(name); found != simulated_.end())
      return found->second.answer_seconds;
    if (has_enough()) return std::numeric_limits<double>::infinity();
    const ChosenPlan chosen(problem_, choice);
    if (lower_bound(choice, chosen) + besides_sweep_ >= (1 - least_gain) * best_)
      return std::numeric_limits<double>::infinity();
    return simulate(choice, chosen);
  }

  double simulate(const PlanChoice& choice) { return simulate(choice, ChosenPlan(problem_, choice)); }

  double lower_bound(const PlanChoice& choice) { return lower_bound(choice, ChosenPlan(problem_, choice)); }

  // The result, with the time of the best plan for half as many right-hand sides at a time.
  Tuning take() && {
    Tuning tuning;
    for (auto& [name, candidate] : simulated_) {
      bounded_.erase(name);
      tuning.candidates.push_back(std::move(candidate));
    }
    for (auto& [name, ruled_out] : bounded_) tuning.ruled_out.push_back(std::move(ruled_out));
    std::stable_sort(
        tuning.candidates.begin(), tuning.candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.answer_seconds < b.answer_seconds; });
    std::stable_sort(tuning.ruled_out.begin(), tuning.ruled_out.end(),
                     [](const RuledOut& a, const RuledOut& b) { return a.lower_bound < b.lower_bound; });
    tuning.halves_seconds = halves_seconds(tuning.best().choice);
    return tuning;
  }

 private:
  double lower_bound(const PlanChoice& choice, const ChosenPlan& chosen) {
    const std::string name = choice.name();
    if (const auto found = bounded_.find(name); found != bounded_.end()) return found->second.lower_bound;
    const double bound = model::lower_bound(chosen, machine_, network(choice), problem_.workload);
    bounded_[name] = {choice, bound};
    return bound;
  }

  double halves_seconds(const PlanChoice& choice) const {
    if (problem_.workload.nrhs == 1) return 0;
    const auto plans = ChosenPlan(problem_, choice).plans(machine_);
    const auto seconds = [&](Index nrhs) {
      Workload part = problem_.workload;
      part.nrhs = nrhs;
      return model::simulate(plans, machine_, network(choice), part).seconds;
    };
    const Index half = problem_.workload.nrhs / 2, rest = problem_.workload.nrhs - half;
    return half == rest ? 2 * seconds(half) : seconds(half) + seconds(rest);
  }

  double simulate(const PlanChoice& choice, const ChosenPlan& chosen) {
    const Prediction p =
        model::simulate(chosen.plans(machine_), machine_, network(choice), problem_.workload);
    simulated_[choice.name()] = {.choice = choice,
                                 .seconds = p.seconds,
                                 .answer_seconds = p.seconds + besides_sweep_,
                                 .bandwidth_floor = p.bandwidth_floor,
                                 .path_task_seconds = p.path_task_seconds,
                                 .path_flight_seconds = p.path_flight_seconds};
    best_ = std::min(best_, p.seconds + besides_sweep_);
    return p.seconds + besides_sweep_;
  }

  const Network& network(const PlanChoice& choice) const {
    return machine_.network(choice.transport, choice.grid.ranks());
  }

  const PlanProblem& problem_;
  const Machine& machine_;
  const PlanAxes& axes_;
  std::size_t most_;
  double besides_sweep_;  // seconds of an answer, the same for all plans
  std::map<std::string, Candidate> simulated_;
  std::map<std::string, RuledOut> bounded_;
  double best_ = std::numeric_limits<double>::infinity();
};

using distribution::ProcessGrid;

double skew(const ProcessGrid& grid) {
  return std::log2(double(grid.px)) - std::log2(double(grid.py));
}

// The grid of that many layers whose sides are most nearly in the given ratio.
std::optional<ProcessGrid> grid_like(const PlanAxes& axes, Index pz, double wanted_skew) {
  std::optional<ProcessGrid> best;
  for (const ProcessGrid& grid : axes.grid) {
    if (grid.pz != pz) continue;
    if (!best || std::abs(skew(grid) - wanted_skew) < std::abs(skew(*best) - wanted_skew)) best = grid;
  }
  return best;
}

// One step flatter, one step taller, and half and twice as many layers.
std::vector<ProcessGrid> neighbours(const PlanAxes& axes, const ProcessGrid& of) {
  std::optional<ProcessGrid> flatter, taller;
  for (const ProcessGrid& grid : axes.grid) {
    if (grid.pz != of.pz) continue;
    if (grid.px < of.px && (!flatter || grid.px > flatter->px)) flatter = grid;
    if (grid.px > of.px && (!taller || grid.px < taller->px)) taller = grid;
  }
  std::vector<ProcessGrid> result;
  for (const auto& grid :
       {flatter, taller, grid_like(axes, of.pz / 2, skew(of)), grid_like(axes, of.pz * 2, skew(of))}) {
    if (grid) result.push_back(*grid);
  }
  return result;
}

// The axes in which starts differ, besides the grid.
bool is_of_kind(const NamedAxis& axis) {
  return axis.value == &PlanChoice::mapping || axis.value == &PlanChoice::diagonal;
}

// For every mapping, diagonal and number of layers: the squarest grid, and defaults on the other axes.
std::vector<PlanChoice> starts(const PlanAxes& axes) {
  PlanAxes few = axes;
  few.grid.clear();
  for (Index pz = 1; pz <= axes.grid.front().ranks(); pz *= 2) {
    if (const auto grid = grid_like(axes, pz, 0)) few.grid.push_back(*grid);
  }
  const PlanChoice usual = axes.usual();
  for (const NamedAxis& axis : named_axes()) {
    if (!is_of_kind(axis)) few.*axis.values = {usual.*axis.value};
  }
  return all_choices(few);
}

// Changes one axis at a time as long as that makes the plan faster; but never its mapping or diagonal, since
// each of them has its own descents.
void descend(PlanChoice at, const PlanAxes& axes, Prices& prices, const std::function<void()>& tick) {
  double seconds = prices.seconds(at);
  const auto try_instead = [&](const PlanChoice& other) {
    tick();
    const double its = prices.seconds(other);
    if (its >= seconds) return false;
    seconds = its;
    at = other;
    return true;
  };
  for (bool better = true; better;) {
    better = false;
    for (const NamedAxis& axis : named_axes()) {
      if (is_of_kind(axis)) continue;
      for (const std::string& value : axes.*axis.values) {
        PlanChoice other = at;
        other.*axis.value = value;
        better = try_instead(other) || better;
      }
    }
    for (const ProcessGrid& grid : neighbours(axes, at.grid)) {
      PlanChoice other = at;
      other.grid = grid;
      better = try_instead(other) || better;
    }
  }
}

bool alike(const Link& a, const Link& b) {
  return a.latency == b.latency && a.bandwidth == b.bandwidth && a.send_overhead == b.send_overhead &&
         a.receive_overhead == b.receive_overhead;
}
bool alike(const Network& a, const Network& b) {
  return alike(a.inside, b.inside) && alike(a.between, b.between) && a.eager_bytes == b.eager_bytes;
}

// The axes without transports that the machine does not have, unless that leaves none.
PlanAxes available(PlanAxes axes, const Machine& machine) {
  const Index ranks = axes.grid.front().ranks();
  const auto missing = [&](const std::string& name) { return !machine.has(name, ranks); };
  if (!std::ranges::all_of(axes.transport, missing)) std::erase_if(axes.transport, missing);
  return axes;
}

// Keeps one of the transports that cost the same: the default, or else the first.
PlanAxes that_matter(PlanAxes axes, const Machine& machine) {
  const PlanChoice usual = axes.usual();
  const auto all = std::exchange(axes.transport, {usual.transport});
  for (const std::string& name : all) {
    const Network& network = machine.network(name, usual.grid.ranks());
    if (std::ranges::none_of(axes.transport, [&](const std::string& kept) {
          return alike(machine.network(kept, usual.grid.ranks()), network);
        }))
      axes.transport.push_back(name);
  }
  return axes;
}

// Descents begin at the best two starts of each mapping and diagonal that are within reach of the best plan.
constexpr int descents_of_a_kind = 2;
constexpr double reach = 1.6;

}  // namespace

Tuning search(const PlanProblem& problem, const Machine& machine, const PlanAxes& all, Observer& observer,
              std::size_t most) {
  const PlanAxes axes = that_matter(available(all, machine), machine);
  Prices prices(problem, machine, axes, most);
  std::vector<std::pair<double, PlanChoice>> start;
  for (PlanChoice& choice : starts(axes)) start.emplace_back(prices.lower_bound(choice), std::move(choice));
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(start.begin(), start.end(), earlier);
  double done = 0;
  const double expected = 3.0 * double(start.size());
  const auto tick = [&] { observer.progress("tuning", std::min(0.99, ++done / expected)); };
  for (auto& [seconds, choice] : start) {
    tick();
    seconds = prices.seconds(choice);
  }
  std::stable_sort(start.begin(), start.end(), earlier);
  std::map<std::pair<std::string, std::string>, int> descents;
  for (const auto& [seconds, choice] : start) {
    if (seconds > reach * prices.best_seconds() || prices.has_enough()) break;
    if (descents[{choice.mapping, choice.diagonal}]++ < descents_of_a_kind)
      descend(choice, axes, prices, tick);
  }
  observer.progress("tuning", 1);
  return std::move(prices).take();
}

Tuning exhaustive_search(const PlanProblem& problem, const Machine& machine, const PlanAxes& all,
                         Observer& observer) {
  const PlanAxes axes = available(all, machine);
  Prices prices(problem, machine, axes, std::numeric_limits<std::size_t>::max());
  const std::vector<PlanChoice> choices = all_choices(axes);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    observer.progress("every plan", double(i) / double(choices.size()));
    prices.simulate(choices[i]);
  }
  observer.progress("every plan", 1);
  return std::move(prices).take();
}

}  // namespace trisweep::model
