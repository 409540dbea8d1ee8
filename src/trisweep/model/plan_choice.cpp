#include "trisweep/model/plan_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "trisweep/core/named.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::model {
namespace {

constexpr Index most_layers = 64;

constexpr std::array<NamedAxis, 6> axes_table{{
    {"mapping", &PlanAxes::mapping, &PlanChoice::mapping},
    {"diagonal", &PlanAxes::diagonal, &PlanChoice::diagonal},
    {"schedule", &PlanAxes::schedule, &PlanChoice::schedule},
    {"inter-grid", &PlanAxes::inter_grid, &PlanChoice::inter_grid},
    {"tree", &PlanAxes::tree, &PlanChoice::tree},
    {"transport", &PlanAxes::transport, &PlanChoice::transport},
}};

}  // namespace

std::string PlanChoice::name() const {
  return fmt::format("{} {} {} {} {} {} {}", grid.name(), mapping, diagonal, schedule, inter_grid, tree,
                     transport);
}

std::span<const NamedAxis> named_axes() {
  return axes_table;
}

PlanAxes all_axes(Index ranks, std::vector<std::string> transports, bool on_gpus) {
  PlanAxes axes{.mapping = names_of(distribution::mappings()),
                .inter_grid = names_of(plan::inter_grids()),
                .tree = names_of(plan::trees()),
                .transport = std::move(transports)};
  for (const auto& diagonal : symbolic::diagonals())
    if (ranks > 1 || diagonal.between_ranks == on_gpus) axes.diagonal.emplace_back(diagonal.name);
  for (const auto& schedule : plan::schedules())
    if (!schedule.baseline) axes.schedule.emplace_back(schedule.name);
  for (Index pz = 1; pz <= most_layers && ranks % pz == 0; pz *= 2) {
    const Index layer = ranks / pz;
    for (Index px = distribution::square_grid(layer).px; px >= 1; --px) {
      if (layer % px != 0) continue;
      axes.grid.push_back({px, layer / px, pz});
      if (px != layer / px) axes.grid.push_back({layer / px, px, pz});
    }
  }
  return axes;
}
PlanAxes all_axes(Index ranks) {
  return all_axes(ranks, described_transports());
}

PlanAxes only(const PlanChoice& choice) {
  PlanAxes axes{.grid = {choice.grid}};
  for (const NamedAxis& axis : named_axes()) axes.*axis.values = {choice.*axis.value};
  return axes;
}

std::shared_ptr<const symbolic::Structure> PlanProblem::structure_for(const std::string& diagonal) const {
  for (const Analyzed& a : analyzed) {
    if (a.diagonal == diagonal) return a.structure;
  }
  throw Error(ErrorKind::usage, fmt::format("the matrix was not analyzed for inverted {}", diagonal),
              "analyze it for that choice of the diagonal");
}

ChosenPlan::ChosenPlan(const PlanProblem& problem, const PlanChoice& choice)
    : schedule(plan::find_schedule(choice.schedule).choice),
      spec{.op = problem.op,
           .upper_is_lower = problem.upper_is_lower,
           .tree = plan::find_tree(choice.tree),
           .inter_grid = plan::find_inter_grid(choice.inter_grid),
           .vectors = problem.vectors} {
  const auto& named = distribution::find_mapping(choice.mapping);
  structure =
      distribution::in_tiles(problem.structure_for(choice.diagonal), named, choice.grid, problem.tiling);
  mapping = named.make(*structure, choice.grid);
}

std::vector<plan::RankPlan> ChosenPlan::plans(const Machine& machine) const {
  return plan::make_all_plans(*structure, *mapping, schedule, spec,
                              {.ordered = machine.workers > 1, .grain = machine.grain});
}

PlanChoice PlanAxes::usual() const {
  PlanChoice choice{.grid = grid.front()};
  for (const NamedAxis& axis : named_axes()) {
    const auto& values = this->*axis.values;
    if (std::ranges::find(values, choice.*axis.value) == values.end()) choice.*axis.value = values.front();
  }
  return choice;
}

PlanChoice canonical(PlanChoice choice, const PlanAxes& axes) {
  const PlanChoice usual = axes.usual();
  const bool only_ranks_count = distribution::find_mapping(choice.mapping).only_ranks_count;
  if (only_ranks_count) choice.grid = usual.grid;
  const bool one_layer = only_ranks_count || choice.grid.pz == 1;
  if (one_layer) choice.schedule = usual.schedule;
  if (one_layer || !plan::find_schedule(choice.schedule).exchanges) choice.inter_grid = usual.inter_grid;
  // Between two ranks all trees are the same.
  const Index most = only_ranks_count ? choice.grid.ranks() : std::max(choice.grid.px, choice.grid.py);
  if (most <= 2) choice.tree = usual.tree;
  if (choice.grid.ranks() == 1) {
    choice.mapping = usual.mapping;
    choice.transport = usual.transport;
  }
  return choice;
}

std::vector<PlanChoice> all_choices(const PlanAxes& axes) {
  std::vector<PlanChoice> choices;
  for (const auto& grid : axes.grid) choices.push_back({.grid = grid});
  for (const NamedAxis& axis : named_axes()) {
    std::vector<PlanChoice> more;
    for (PlanChoice& choice : choices) {
      for (const std::string& value : axes.*axis.values) {
        choice.*axis.value = value;
        more.push_back(choice);
      }
    }
    choices = std::move(more);
  }
  std::set<std::string> seen;
  std::vector<PlanChoice> different;
  for (const PlanChoice& choice : choices) {
    PlanChoice plain = canonical(choice, axes);
    if (seen.insert(plain.name()).second) different.push_back(std::move(plain));
  }
  return different;
}

}  // namespace trisweep::model
