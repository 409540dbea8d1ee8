#include "trisweep/model/analysis_options.hpp"

#include <gmock/gmock.h>

namespace trisweep::model {
namespace {

int levels(const PlanChoice& choice) {
  return ordering_options(ordering::Method::metis, only(choice)).tree_levels;
}

// A tree that is deeper than the plan needs has more, and smaller, supernodes: of grids of one layer all have
// that of one rank.
TEST(AnalysisOptions, ReachDownToWhatThePlanNeeds) {
  const int alone = levels({.grid = {1, 1, 1}});
  EXPECT_EQ(levels({.grid = {64, 64, 1}}), alone);
  EXPECT_EQ(levels({.grid = {2, 2, 1024}}), 10);
  EXPECT_GT(levels({.grid = {32, 32, 1}, .mapping = "proportional"}), 10);
}

// Of what levels there are a plan may need few: those are dissected whatever it costs.
TEST(AnalysisOptions, SayHowManyLevelsAreNeeded) {
  const auto needed = [](const PlanAxes& axes) {
    return ordering_options(ordering::Method::automatic, axes).needed_levels;
  };
  EXPECT_EQ(needed(all_axes(1, {"two-sided"})), 0);
  EXPECT_EQ(needed(only({.grid = {8, 8, 1}})), 0);
  EXPECT_EQ(needed(only({.grid = {2, 2, 4}})), 2);
  EXPECT_GE(needed(only({.grid = {8, 8, 1}, .diagonal = "separators"})), 6);
  EXPECT_GE(needed(all_axes(16, {"two-sided"})), 4);
}

// Of a million ranks each needs a leaf, and some below: more than a tree may have.
TEST(AnalysisOptions, HaveNoMoreLevelsThanAreAllowed) {
  EXPECT_EQ(levels({.grid = {1024, 1024, 1}, .mapping = "proportional"}), ordering::most_levels);
}

TEST(AnalysisOptions, ServeEveryPlanThatMayBeChosen) {
  PlanAxes axes = only({.grid = {1, 1, 1024}});
  axes.grid.push_back({32, 32, 1});
  axes.mapping.emplace_back("proportional");
  EXPECT_EQ(ordering_options(ordering::Method::metis, axes).tree_levels,
            levels({.grid = {32, 32, 1}, .mapping = "proportional"}));
}

TEST(AnalysisOptions, CompareWithThePlainDiagonal) {
  PlanAxes axes = only({.grid = {2, 1, 1}, .diagonal = "separators"});
  EXPECT_THAT(diagonals_to_analyze(axes), testing::UnorderedElementsAre("separators", "supernodes"));
  axes.diagonal = {"supernodes"};
  EXPECT_THAT(diagonals_to_analyze(axes), testing::ElementsAre("supernodes"));
  EXPECT_EQ(symbolic_options("supernodes", 16).whole_levels, 0);
  EXPECT_EQ(symbolic_options("separators", 16).whole_levels, 4);
  EXPECT_EQ(symbolic_options("supernodes", 1).max_width_if_tiny, 3);
  EXPECT_EQ(symbolic_options("supernodes", 2).max_width_if_tiny, 0);
}

// A GPU has fewer and wider supernodes, whatever else is asked.
TEST(AnalysisOptions, AreWiderOnGpus) {
  const auto on_cores = symbolic_options("separators", 16),
             on_gpus = symbolic_options("separators", 16, true);
  EXPECT_GT(on_gpus.max_width, on_cores.max_width);
  EXPECT_GT(on_gpus.supernode_bytes, on_cores.supernode_bytes);
  EXPECT_EQ(symbolic_options("separators", 64, true).whole_levels,
            symbolic_options("separators", 64).whole_levels);
  EXPECT_EQ(symbolic_options("supernodes", 16, true).whole_levels, 0);
}

// One GPU inverts whole separators: its sweeps wait for a chain of supernodes, a core's do not.
TEST(AnalysisOptions, KeepSeparatorsWholeForOneGpu) {
  EXPECT_EQ(all_axes(1, {"two-sided"}, true).diagonal, std::vector<std::string>{"separators"});
  EXPECT_EQ(all_axes(1, {"two-sided"}, false).diagonal, std::vector<std::string>{"supernodes"});
  EXPECT_EQ(all_axes(4, {"two-sided"}, true).diagonal, all_axes(4, {"two-sided"}).diagonal);
  const PlanAxes axes = all_axes(1, {"two-sided"}, true);
  EXPECT_GT(symbolic_options("separators", 1, true).whole_levels,
            symbolic_options("separators", 1).whole_levels);
  EXPECT_EQ(ordering_options(ordering::Method::automatic, axes, true).needed_levels,
            symbolic_options("separators", 1, true).whole_levels);
}

}  // namespace
}  // namespace trisweep::model
