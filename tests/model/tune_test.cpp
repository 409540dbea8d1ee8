// The search finds what an exhaustive one finds, or nearly so, with what it was allowed, and always the same.

#include "trisweep/model/tune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gallery/gallery.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/model/lower_bound.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::model {
namespace {

using distribution::ProcessGrid;

PlanProblem problem_of(const std::string& kind, int n, Workload workload = {}) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}));
  const auto order = ordering::order(a, false, {.tree_levels = 5});
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  PlanProblem problem{.workload = workload};
  for (const int whole_levels : {0, 5}) {
    const auto analysis = symbolic::analyze(pattern, order.tree, {.whole_levels = whole_levels});
    problem.analyzed.push_back({whole_levels > 0 ? "separators" : "supernodes", analysis.structure});
  }
  return problem;
}

std::vector<PlanProblem> problems() {
  std::vector<PlanProblem> all{problem_of("s2d9", 24), problem_of("convection3d", 7, {.nrhs = 12}),
                               problem_of("kkt3d", 5), problem_of("poisson3d", 9, {.compression_eps = 1e-6})};
  all[2].upper_is_lower = true;  // of its structure alone
  all[1].op = Op::transpose;
  return all;
}

std::vector<std::string> names(const Tuning& tuning) {
  std::vector<std::string> result;
  for (const Candidate& c : tuning.candidates) result.push_back(c.choice.name());
  for (const RuledOut& r : tuning.ruled_out) result.push_back(r.choice.name());
  return result;
}

bool is_of(const PlanAxes& axes, const PlanChoice& choice) {
  for (const NamedAxis& axis : named_axes()) {
    const auto& values = axes.*axis.values;
    if (std::ranges::find(values, choice.*axis.value) == values.end()) return false;
  }
  return std::ranges::any_of(axes.grid, [&](const ProcessGrid& g) { return g.name() == choice.grid.name(); });
}

TEST(PlanAxes, HasEveryGridOnce) {
  for (const Index ranks : {1, 6, 12, 32}) {
    std::set<std::string> grids;
    for (const ProcessGrid& grid : all_axes(ranks).grid) {
      EXPECT_EQ(grid.ranks(), ranks);
      EXPECT_TRUE(grids.insert(grid.name()).second) << grid.name();
    }
    std::size_t expected = 0;
    for (Index pz = 1; ranks % pz == 0; pz *= 2) {
      for (Index px = 1; px <= ranks / pz; ++px) expected += ranks / pz % px == 0 ? 1 : 0;
    }
    EXPECT_EQ(grids.size(), expected) << ranks;
  }
  EXPECT_EQ(all_axes(12).grid.front().name(), "3x4x1");
  EXPECT_EQ(all_axes(2048).grid.back().pz, 64);
}

TEST(PlanAxes, ListsPlansThatDifferOnce) {
  EXPECT_EQ(all_choices(all_axes(1)).size(), 1);
  // Block-cyclic: 2D grids 1x2 and 2x1, and the two layers of 1x1 with three ways to exchange; proportional:
  // one. Each with 2 diagonals and 3 transports; between two all trees are the same.
  EXPECT_EQ(all_choices(all_axes(2)).size(), (2 + 3 + 1) * 6);
  const PlanChoice one{.grid = {2, 3, 2}, .mapping = "proportional", .tree = "flat"};
  EXPECT_EQ(all_choices(only(one)), std::vector{one});
}

// What is left out makes no difference.
TEST(PlanAxes, HasEveryPlanOnce) {
  const PlanProblem problem = problem_of("s2d9", 24);
  const Machine machine = find_machine("cori-haswell");
  const PlanAxes axes = all_axes(4);
  const auto seconds = [&](const PlanChoice& choice) {
    return simulate(ChosenPlan(problem, choice).plans(machine), machine, machine.network("two-sided", 4), {})
        .seconds;
  };
  std::size_t other = 0;
  for (PlanChoice choice : all_choices(axes)) {
    for (const std::string& tree : axes.tree) {
      choice.tree = tree;
      const PlanChoice plain = canonical(choice, axes);
      if (plain == choice) continue;
      ++other;
      EXPECT_EQ(seconds(plain), seconds(choice)) << choice.name();
    }
  }
  EXPECT_GT(other, 0);
}

TEST(LowerBound, IsOne) {
  for (const PlanProblem& problem : problems()) {
    for (const std::string name : {"cori-haswell", "cori-knl", "dgx-2"}) {
      const Machine machine = find_machine(name);
      PlanAxes axes = all_axes(8);
      axes.schedule = names_of(plan::schedules());
      for (const PlanChoice& choice : all_choices(axes)) {
        if (!machine.has(choice.transport, 8)) continue;
        const ChosenPlan chosen(problem, choice);
        const Network& network = machine.network(choice.transport, choice.grid.ranks());
        const double bound = lower_bound(chosen, machine, network, problem.workload);
        EXPECT_GT(bound, 0);
        EXPECT_LE(bound, simulate(chosen.plans(machine), machine, network, problem.workload).seconds)
            << name << " " << choice.name();
      }
    }
  }
}

TEST(Search, ChoosesTheFastestOfItsCandidates) {
  for (const PlanProblem& problem : problems()) {
    for (const Index ranks : {1, 6, 16}) {
      const Machine machine = find_machine("cori-haswell");
      const Tuning tuning = search(problem, machine, all_axes(ranks));
      ASSERT_FALSE(tuning.candidates.empty());
      for (const Candidate& c : tuning.candidates) EXPECT_GE(c.seconds, tuning.best().seconds);
      for (const RuledOut& r : tuning.ruled_out)
        EXPECT_GE(r.lower_bound, 0.98 * tuning.best().seconds) << r.choice.name();
      const auto all = names(tuning);
      EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
      // What it says of the best is what a simulation says.
      const PlanChoice& best = tuning.best().choice;
      EXPECT_EQ(tuning.best().seconds,
                simulate(ChosenPlan(problem, best).plans(machine), machine,
                         machine.network(best.transport, best.grid.ranks()), problem.workload)
                    .seconds);
      EXPECT_EQ(names(search(problem, machine, all_axes(ranks))), all);
    }
  }
}

// What answers take besides sweeps makes no plan the better one, and lets fewer be worth a look.
TEST(Search, RanksPlansByAnswers) {
  const Machine machine = find_machine("cori-haswell");
  PlanProblem problem = problem_of("s2d9", 24);
  PlanAxes two_sided = all_axes(16);
  two_sided.transport = {"two-sided"};
  const Tuning sweeps = search(problem, machine, all_axes(16));
  const Tuning two_sided_sweeps = search(problem, machine, two_sided);
  problem.product = {.ranks = 16, .rows = 36, .nonzeros = 324, .neighbours = 4, .ghosts = 60};
  const Tuning answers = search(problem, machine, all_axes(16));
  const double besides = answer_price(0, 0, problem.product, machine, {}).seconds();
  for (const Candidate& c : answers.candidates) {
    EXPECT_DOUBLE_EQ(c.answer_seconds, c.seconds + besides);
    EXPECT_GE(c.answer_seconds, answers.best().answer_seconds);
  }
  for (const RuledOut& r : answers.ruled_out)
    EXPECT_GE(r.lower_bound + besides, 0.98 * answers.best().answer_seconds);
  EXPECT_LE(answers.best().answer_seconds, 1.02 * (sweeps.best().seconds + besides));
  EXPECT_LE(search(problem, machine, two_sided).candidates.size(), two_sided_sweeps.candidates.size());
}

// The plans that there are to choose from, one that is the same with every tree counted with each.
std::size_t ways_to_choose(const Tuning& every, const PlanAxes& axes) {
  std::size_t ways = 0;
  for (const Candidate& c : every.candidates) {
    for (const std::string& tree : axes.tree) {
      PlanChoice choice = c.choice;
      choice.tree = tree;
      ways += canonical(choice, axes) == c.choice;
    }
  }
  return ways;
}

// With every mapping, and with the one whose grids matter most.
TEST(Search, IsWithinATenthOfTheBestThereIs) {
  for (const PlanProblem& problem : problems()) {
    for (const auto& [ranks, name] :
         std::vector<std::pair<Index, std::string>>{{4, "cori-knl"}, {12, "generic"}, {16, "cori-haswell"}}) {
      const Machine machine = find_machine(name);
      PlanAxes axes = all_axes(ranks);
      for (const std::vector<std::string>& mapping : {axes.mapping, {"block-cyclic"}}) {
        axes.mapping = mapping;
        const Tuning found = search(problem, machine, axes);
        const Tuning every = exhaustive_search(problem, machine, axes);
        EXPECT_LT(3 * found.candidates.size(), ways_to_choose(every, axes));
        EXPECT_LE(found.best().seconds, 1.1 * every.best().seconds)
            << name << " " << ranks << " " << found.best().choice.name() << " " << every.best().choice.name();
      }
    }
  }
}

TEST(Search, KeepsWhatIsFixed) {
  const PlanProblem problem = problem_of("s2d9", 24);
  const Machine machine = find_machine("cori-haswell");
  const PlanAxes all = all_axes(8);
  std::vector<PlanAxes> fixed;
  for (const NamedAxis& axis : named_axes()) {
    for (const std::string& value : all.*axis.values) {
      PlanAxes one = all;
      one.*axis.values = {value};
      if (value == "shared") {
        EXPECT_THROW(search(problem, machine, one), Error);
      } else {
        fixed.push_back(one);
      }
    }
  }
  for (const ProcessGrid& grid : all.grid) {
    fixed.push_back(all);
    fixed.back().grid = {grid};
  }
  fixed.push_back(only({.grid = {1, 2, 4}, .schedule = "level-sync", .tree = "flat"}));
  for (const PlanAxes& axes : fixed) {
    const Tuning tuning = search(problem, machine, axes);
    for (const Candidate& c : tuning.candidates) EXPECT_TRUE(is_of(axes, c.choice)) << c.choice.name();
    for (const RuledOut& r : tuning.ruled_out) EXPECT_TRUE(is_of(axes, r.choice)) << r.choice.name();
  }
}

TEST(Search, SimulatesNoMorePlansThanItMay) {
  const PlanProblem problem = problem_of("poisson3d", 6);
  const Machine& machine = find_machine("cori-haswell");
  const PlanAxes axes = all_axes(8);
  EXPECT_GT(search(problem, machine, axes).candidates.size(), 2u);
  for (const std::size_t most : {1u, 2u})
    EXPECT_EQ(search(problem, machine, axes, silent_observer(), most).candidates.size(), most);
}

TEST(Search, NeedsTheAnalysisOfEachDiagonal) {
  PlanProblem problem = problem_of("s2d9", 12);
  problem.analyzed.pop_back();
  EXPECT_THROW(search(problem, find_machine("generic"), all_axes(4)), Error);
  PlanAxes axes = all_axes(4);
  axes.diagonal = {"supernodes"};
  EXPECT_EQ(search(problem, find_machine("generic"), axes).best().choice.diagonal, "supernodes");
}

}  // namespace
}  // namespace trisweep::model
