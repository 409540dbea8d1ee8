// The three lines that say why: each names what it should.

#include "trisweep/report/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trisweep::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

model::Tuning tuning() {
  return {.candidates = {{.choice = {.grid = {4, 4, 1}, .mapping = "proportional", .tree = "flat"},
                          .seconds = 1e-3,
                          .bandwidth_floor = 2.5e-4,
                          .path_task_seconds = 5e-4,
                          .path_flight_seconds = 2e-4},
                         {.choice = {.grid = {4, 4, 1}, .mapping = "proportional"}, .seconds = 1.25e-3},
                         {.choice = {.grid = {4, 4, 1}, .mapping = "proportional", .transport = "one-sided"},
                          .seconds = 1.5e-3},
                         {.choice = {.grid = {4, 4, 1}}, .seconds = 4e-3}},
          .ruled_out = {{.choice = {.grid = {2, 2, 4}, .diagonal = "separators"}, .lower_bound = 1.2e-3}}};
}

TEST(Reasons, NameTheLimitTheNextBestAndTheAxes) {
  const auto [limit, next, axes] = reasons(tuning());
  EXPECT_THAT(limit, AllOf(HasSubstr("50 % tasks"), HasSubstr("30 % message overheads"),
                           HasSubstr("20 % message latency"), HasSubstr("250 us")));
  EXPECT_THAT(next, AllOf(HasSubstr("block-cyclic, inverted supernodes on 4x4x1"), HasSubstr("4 ms"),
                          HasSubstr("4.0 times")));
  // A plan that differs in two axes tells nothing of one.
  EXPECT_THAT(axes, AllOf(HasSubstr("binary +25 %"), Not(HasSubstr("one-sided")), Not(HasSubstr("halves"))));
}

TEST(Reasons, NameTheBoundWhereNothingElseWasSimulated) {
  model::Tuning t = tuning();
  t.candidates.resize(1);
  t.halves_seconds = 1.1e-3;
  const auto [limit, next, axes] = reasons(t);
  EXPECT_THAT(next, AllOf(HasSubstr("1.2 ms"), HasSubstr("block-cyclic, inverted separators")));
  EXPECT_THAT(axes, HasSubstr("two halves +10 %"));
  t.ruled_out.clear();
  t.halves_seconds = 0;
  EXPECT_THAT(reasons(t)[1], HasSubstr("no other kind"));
  EXPECT_THAT(reasons(t)[2], HasSubstr("no single option can be changed"));
}

TEST(SolveOptions, NameTheGridAndWhatIsNotUsual) {
  EXPECT_EQ(solve_options({.grid = {2, 2, 1}}), "--grid 2x2x1");
  EXPECT_EQ(solve_options({.grid = {2, 3, 4}, .inter_grid = "per-node", .transport = "one-sided"}),
            "--grid 2x3x4 --inter-grid per-node --transport one-sided");
}

}  // namespace
}  // namespace trisweep::report
