#include "trisweep/report/run_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/scalars.hpp"

namespace trisweep::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A run with a value of its own in every field.
RunRecord example() {
  return {
      .version = "1.2.3",
      .predicted = false,
      .matrix = {.name = "a \"quoted\" name.mtx", .rows = 10, .nonzeros = 5000000000},
      .factor = {.kind = "lu",
                 .nonzeros_l = 6000000000,
                 .nonzeros_u = 6000000001,
                 .bytes = 96000000000,
                 .supernodes = 4,
                 .flops = 3e12,
                 .analysis_seconds = 0.5,
                 .seconds = 1.5,
                 .perturbed_pivots = 2,
                 .delayed_pivots = 3,
                 .condition_estimate = 1e7},
      .plan = {.px = 2,
               .py = 3,
               .pz = 4,
               .mapping = "block-cyclic",
               .schedule = "single-sync",
               .inter_grid = "sparse",
               .tree = "binary",
               .diagonal = "supernodes",
               .transport = "two-sided",
               .device = "cpu"},
      .solve = {.nrhs = 7,
                .op = "T",
                .precision = "double",
                .method = "direct",
                .repeats = 5,
                .seconds_min = 2e-3,
                .seconds_median = 3e-3,
                .l_seconds = 1e-3,
                .u_seconds = 9e-4,
                .inter_grid_seconds = 5e-5,
                .backward_error = 1.25e-16,
                .componentwise_backward_error = 2.5e-16,
                .arioli_demmel_duff_backward_error = 2.75e-16,
                .solution_condition = 1e6,
                .forward_error_bound = 3e-10,
                .componentwise_forward_error_bound = 4e-10,
                .refinement_steps = 1,
                .refinement_seconds = 0.01},
      .ranks = {{.rank = 0,
                 .x = 0,
                 .y = 0,
                 .z = 0,
                 .l_seconds = 1e-3,
                 .u_seconds = 9e-4,
                 .inter_grid_seconds = 5e-5,
                 .idle_seconds = 2e-4,
                 .l_floating_point_seconds = 3e-4,
                 .u_floating_point_seconds = 1e-4,
                 .messages = {{{8, 3000000000, 2, 44}, {2, 900000000, 6, 40}, {1, 100000000, 4, 4}}}},
                {.rank = 1, .x = 1, .y = 0, .z = 0}},
      .machine = {.host = "node", .processor = "chip", .mpi = "MPI", .processors = 2, .memory_bytes = 2e10}};
}

TEST(ToJson, HasTheFieldsThatOthersRead) {
  const json r = json::parse(to_json(example()));
  EXPECT_EQ(r["version"], "1.2.3");
  EXPECT_EQ(r["predicted"], false);
  EXPECT_EQ(r["matrix"], json({{"name", "a \"quoted\" name.mtx"}, {"rows", 10}, {"nonzeros", 5000000000}}));
  EXPECT_EQ(r["plan"], json({{"grid", {2, 3, 4}},
                             {"mapping", "block-cyclic"},
                             {"schedule", "single-sync"},
                             {"inter_grid", "sparse"},
                             {"tree", "binary"},
                             {"diagonal", "supernodes"},
                             {"transport", "two-sided"},
                             {"device", "cpu"},
                             {"threads", 1},
                             {"deterministic", false},
                             {"dependencies", true},
                             {"chosen_by", "user"}}));
  for (const char* field : {"nonzeros_l", "nonzeros_u", "bytes", "supernodes", "seconds", "perturbed_pivots",
                            "delayed_pivots", "condition_estimate"})
    EXPECT_TRUE(r["factor"][field].is_number()) << field;
  EXPECT_EQ(r["factor"]["numerically_singular"], false);
  for (const char* field :
       {"nrhs", "repeats", "seconds_min", "seconds_median", "l_seconds", "u_seconds", "inter_grid_seconds",
        "backward_error", "componentwise_backward_error", "arioli_demmel_duff_backward_error",
        "solution_condition", "forward_error_bound", "componentwise_forward_error_bound", "refinement_steps"})
    EXPECT_TRUE(r["solve"][field].is_number()) << field;
  EXPECT_EQ(r["solve"]["op"], "T");
  EXPECT_EQ(r["machine"]["host"], "node");
}

TEST(ToJson, KeepsEveryDigit) {
  const json r = json::parse(to_json(example()));
  EXPECT_EQ(r["solve"]["backward_error"].get<double>(), 1.25e-16);
  EXPECT_EQ(r["solve"]["componentwise_backward_error"].get<double>(), 2.5e-16);
  EXPECT_EQ(r["factor"]["nonzeros_u"].get<Offset>(), 6000000001);
}

TEST(ToJson, HasOneEntryPerRank) {
  const json ranks = json::parse(to_json(example()))["ranks"];
  ASSERT_EQ(ranks.size(), 2);
  EXPECT_TRUE(ranks[0]["vector_seconds"].is_number());
  EXPECT_EQ(ranks[1]["rank"], 1);
  EXPECT_EQ(ranks[1]["x"], 1);
  EXPECT_EQ(ranks[0]["bytes_sent"], 4000000000);
  for (const char* field :
       {"rank", "x", "y", "z", "l_seconds", "u_seconds", "floating_point_seconds", "intra_grid_seconds",
        "inter_grid_seconds", "messages_sent", "bytes_sent", "messages_received", "bytes_received"})
    EXPECT_TRUE(ranks[0][field].is_number()) << field;
}

TEST(ToJson, WritesInfinityAsNull) {
  RunRecord r = example();
  r.factor.condition_estimate = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(json::parse(to_json(r))["factor"]["condition_estimate"].is_null());
}

TEST(ToJson, SplitsFloatingPointBySweep) {
  const json rank = json::parse(to_json(example()))["ranks"][0];
  EXPECT_DOUBLE_EQ(rank["l_floating_point_seconds"], 3e-4);
  EXPECT_DOUBLE_EQ(rank["u_floating_point_seconds"], 1e-4);
  EXPECT_DOUBLE_EQ(rank["floating_point_seconds"], 4e-4);
  EXPECT_DOUBLE_EQ(rank["intra_grid_seconds"], 1.5e-3);
}

TEST(RankRecordOf, CountsTheDiagonalAsBackward) {
  engine::SolveProfile last;
  last.l = {.seconds = 3, .floating_point_seconds = 2, .idle_seconds = 0.5};
  last.u = {.seconds = 5, .floating_point_seconds = 1};
  last.diagonal = {.seconds = 4, .floating_point_seconds = 4};
  last.inter_grid = {.seconds = 7};
  last.l.sent[plan::index_of(plan::MessageKind::reduction)] = {2, 16};
  last.u.sent[plan::index_of(plan::MessageKind::reduction)] = {1, 8};
  last.vectors = {.seconds = 11};
  last.vectors.sent[plan::index_of(plan::MessageKind::vectors)] = {1, 800};
  const RankRecord r = rank_record(5, {2, 1, 4}, last);
  EXPECT_EQ(r.rank, 5);
  EXPECT_EQ(r.x, 1);
  EXPECT_EQ(r.z, 2);
  EXPECT_EQ(r.l_floating_point_seconds, 2);
  EXPECT_EQ(r.u_floating_point_seconds, 5);
  EXPECT_EQ(r.u_seconds, 9);
  EXPECT_EQ(r.intra_grid_seconds(), 12 - 7);
  EXPECT_EQ(r.inter_grid_seconds, 7);
  EXPECT_EQ(r.vector_seconds, 11);
  EXPECT_EQ(r.idle_seconds, 0.5);
  EXPECT_EQ(r.messages[plan::index_of(plan::MessageKind::reduction)].bytes_sent, 24);
  EXPECT_EQ(r.messages[plan::index_of(plan::MessageKind::vectors)].bytes_sent, 800);
}

// What readers of the totals compare with the papers does not depend on where the caller has b and x.
TEST(ToJson, KeepsMessagesOfVectorsApart) {
  RunRecord r = example();
  r.ranks[0].messages[plan::index_of(plan::MessageKind::vectors)] = {3, 700, 5, 900};
  const json with = json::parse(to_json(r))["ranks"][0],
             without = json::parse(to_json(example()))["ranks"][0];
  EXPECT_EQ(with["vectors"],
            json({{"sent", 3}, {"bytes_sent", 700}, {"received", 5}, {"bytes_received", 900}}));
  EXPECT_FALSE(with["messages"].contains("vectors"));
  for (const char* total : {"messages_sent", "bytes_sent", "messages_received", "bytes_received"})
    EXPECT_EQ(with[total], without[total]) << total;
}

TEST(Summary, SaysWhatInvertedSeparatorsCost) {
  RunRecord r = example();
  EXPECT_THAT(summary(r), Not(HasSubstr("separators")));
  r.solve.panel_bytes_max = 22e9;
  r.separators = {.extra_bytes = 16e9, .extra_panel_bytes_max = -2e9, .extra_flops = 1e12};
  EXPECT_THAT(summary(r),
              HasSubstr("inverted separators take +16 GB (+20.0 %) of factors, -2 GB (-8.3 %) on the "
                        "fullest rank, +50.0 % work to factor"));
  EXPECT_EQ(json::parse(to_json(r))["separators"]["extra_bytes"], 16e9);
  EXPECT_FALSE(json::parse(to_json(example())).contains("separators"));
}

TEST(ToJson, SurvivesNamesThatAreNotText) {
  RunRecord r = example();
  r.matrix.name = "latin\xe9.mtx";  // a file name is bytes, JSON is UTF-8
  EXPECT_TRUE(json::accept(to_json(r)));
}

TEST(Summary, SaysWhatHowFastAndHowWell) {
  const std::string text = summary(example());
  for (const char* part :
       {"10 rows", "5000000000 nonzeros", "4 supernodes", "1.5 s: LU", "96 GB",
        "3 delayed, 2 perturbed pivots", "7 right-hand sides", "op T", "grid 2x3x4",
        "componentwise backward error 2.5e-16 after 1 refinement step", "at most about 3.0e-10"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(Summary, ReportsUnknownsWithoutDigits) {
  RunRecord r = example();
  EXPECT_THAT(summary(r), Not(HasSubstr("correct digit")));
  r.solve.small_equations = 1;
  r.solve.small_size = 2e-13;
  EXPECT_THAT(summary(r), HasSubstr("1 equation has only unknowns below 2.0e-13 of the largest"));
}

TEST(Summary, TimesAreMedians) {
  RunRecord r = example();
  EXPECT_THAT(summary(r), HasSubstr("solve     3 ms, the median of 5: 7 right-hand sides, op T"));
  r.solve.repeats = 1;
  EXPECT_THAT(summary(r), HasSubstr("solve     3 ms: 7 right-hand sides, op T"));
}

TEST(Summary, CountsOneInTheSingular) {
  RunRecord r = example();
  r.factor.delayed_pivots = 0;
  r.factor.perturbed_pivots = 1;
  r.solve.nrhs = 1;
  EXPECT_THAT(summary(r), HasSubstr(" GB, 1 perturbed pivot,"));
  EXPECT_THAT(summary(r), HasSubstr("1 right-hand side,"));
}

TEST(Verdict, NamesTheCauseAndARemedy) {
  RunRecord r = example();
  r.solve.arioli_demmel_duff_backward_error = 1e-3;
  r.solve.unsolved = {1, 3};
  EXPECT_THAT(verdict(r, false), HasSubstr("backward error 1.0e-03"));
  EXPECT_THAT(verdict(r, false), HasSubstr("of 2 of 7 right-hand sides (2, 4) does not satisfy"));
  EXPECT_THAT(verdict(r, false), HasSubstr("remedy: "));
  r.factor.numerically_singular = true;
  EXPECT_THAT(verdict(r, false), HasSubstr("numerically singular in double precision"));
  EXPECT_THAT(verdict(r, false), HasSubstr("does not satisfy its equations (backward error 1.0e-03)"));
  EXPECT_THAT(verdict(r, false), Not(HasSubstr("--precision")));
  EXPECT_THAT(verdict(r, true), HasSubstr("is one of many that satisfy the equations"));
}

TEST(Verdict, OfSinglePrecisionNamesDouble) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  RunRecord r = example();
  r.solve.arioli_demmel_duff_backward_error = 1e-3;
  r.solve.unsolved = {1, 3};
  r.factor.numerically_singular = true;
  r.solve.precision = "float";
  EXPECT_THAT(verdict(r, false), HasSubstr("numerically singular in single precision"));
  EXPECT_THAT(verdict(r, false), HasSubstr("--precision double"));
}

TEST(Verdict, SaysWhenThereIsNoFiniteSolution) {
  RunRecord r = example();
  r.solve.arioli_demmel_duff_backward_error = std::numeric_limits<double>::infinity();
  EXPECT_THAT(verdict(r, false), HasSubstr("range of double precision, 2.2e-308 to 1.8e+308"));
  EXPECT_THAT(verdict(r, false), Not(HasSubstr("inf")));
}

TEST(Caution, SaysWhatTheAnswerIsWorth) {
  EXPECT_THAT(caution(example()), HasSubstr("1.0e+07"));
}

TEST(Machine, IsDescribed) {
  const MachineRecord machine = this_machine();
  EXPECT_FALSE(machine.host.empty());
  EXPECT_FALSE(machine.processor.empty());
  EXPECT_GE(machine.processors, 1);
  EXPECT_GT(machine.memory_bytes, 1e6);
}

}  // namespace
}  // namespace trisweep::report
