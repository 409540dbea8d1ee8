#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/lower_system.hpp"
#include "trisweep/sptrsv/row_schedule.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::sptrsv {
namespace {

matrix::Pattern below_of(const char* kind, Index n) {
  return lower_system(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})), {}, Op::none)
      .below;
}

TEST(Shape, CountsLevels) {
  // 1 <- 2 <- 4, 1 <- 3, 5 alone
  const matrix::Pattern below{.rows = 5, .cols = 5, .row_ptr = {0, 0, 1, 2, 3, 3}, .col = {0, 0, 1}};
  const Shape shape = shape_of(below);
  EXPECT_EQ(shape.level, (std::vector<Index>{0, 1, 1, 2, 0}));
  EXPECT_EQ(shape.levels, 3);
  EXPECT_DOUBLE_EQ(shape.parallelism, 5.0 / 3);
  EXPECT_DOUBLE_EQ(shape.dependency, 8.0 / 5);
  EXPECT_EQ(shape.most_dependencies, 1);
  EXPECT_EQ(shape_of({}).levels, 0);
}

// Every row once; every row after those that it needs, whatever the pace of the threads.
TEST(RowSchedule, WaitsForEverythingARowNeeds) {
  for (const auto& below : {below_of("graph", 5000), below_of("graph-road", 3000)}) {
    for (const auto& algorithm : algorithms()) {
      for (const int threads : {1, 2, 5}) {
        const RowSchedule schedule = make_schedule(below, algorithm.assign(below, threads));
        ASSERT_EQ(schedule.size(), usize(threads));
        struct Place {
          std::size_t thread;
          Index block;
        };
        std::vector<Place> place(usize(below.rows), {usize(threads), 0});
        std::size_t rows = 0;
        for (std::size_t t = 0; t < schedule.size(); ++t) {
          Index row = 0;
          for (Index b = 0; b < std::ssize(schedule[t].block); ++b) {
            for (; row < schedule[t].block[usize(b)].row_end; ++row)
              place[usize(schedule[t].row[usize(row)])] = {t, b};
          }
          EXPECT_EQ(row, std::ssize(schedule[t].row));
          rows += schedule[t].row.size();
        }
        EXPECT_EQ(rows, usize(below.rows));
        for (std::size_t t = 0; t < schedule.size(); ++t) {
          std::vector<Index> waited(schedule.size());
          std::vector<char> mine(usize(below.rows));
          Index row = 0, wait = 0;
          for (const Block& block : schedule[t].block) {
            for (; wait < block.wait_end; ++wait) {
              const Wait& w = schedule[t].wait[usize(wait)];
              waited[usize(w.thread)] = std::max(waited[usize(w.thread)], w.blocks);
            }
            for (; row < block.row_end; ++row) {
              const Index i = schedule[t].row[usize(row)];
              for (const Index j : below.row(i)) {
                const Place& p = place[usize(j)];
                ASSERT_TRUE(p.thread == t ? mine[usize(j)] != 0 : p.block < waited[p.thread])
                    << algorithm.name;
              }
              mine[usize(i)] = 1;
            }
          }
        }
        EXPECT_GT(estimate(below, schedule), 0);
      }
    }
  }
}

// Row 2 needs 0 and 1, which two threads compute in the same step; 3 needs 0, and 4 needs 1.
TEST(RowSchedule, ARegionNeedsNothingOfTheOthersInItsStep) {
  const matrix::Pattern below{.rows = 5, .cols = 5, .row_ptr = {0, 0, 0, 2, 3, 4}, .col = {0, 1, 0, 1}};
  const Assignment assignment = regions(below, 2);
  EXPECT_EQ(assignment[0].row, (std::vector<Index>{0, 3}));
  EXPECT_EQ(assignment[1].row, (std::vector<Index>{1, 4, 2}));
  EXPECT_EQ(assignment[1].block_end, (std::vector<Index>{2, 3}));
}

TEST(RowSchedule, RegionsTakeLessTimeThanLevelsWhereLevelsAreSmall) {
  const auto below = below_of("graph-road", 20000);
  const auto time = [&](AlgorithmFunction* assign) {
    return estimate(below, make_schedule(below, assign(below, 2)));
  };
  EXPECT_LT(time(regions), time(level_set));
  EXPECT_LT(time(regions), 0.8 * time(sequential));
}

// Two chains, one after the other: their links take turns.
TEST(RowSchedule, RowsOfABlockSeldomNeedTheOneJustBefore) {
  const matrix::Pattern below{.rows = 6, .cols = 6, .row_ptr = {0, 0, 1, 2, 2, 3, 4}, .col = {0, 1, 3, 4}};
  const RowSchedule schedule = make_schedule(below, sequential(below, 1));
  EXPECT_EQ(schedule[0].row, (std::vector<Index>{0, 3, 1, 4, 2, 5}));
}

TEST(RowSchedule, ThreadsThatWaitForOneAnotherAreFound) {
  const matrix::Pattern below{.rows = 2, .cols = 2, .row_ptr = {0, 0, 1}, .col = {0}};
  RowSchedule schedule = make_schedule(below, sync_free(below, 2));
  schedule = {{.row = {0}, .block = {{1, 1}}, .wait = {{1, 1}}},
              {.row = {1}, .block = {{1, 1}}, .wait = {{0, 1}}}};
  EXPECT_THROW(estimate(below, schedule), std::logic_error);
}

TEST(Form, IsThatOfTheOnlyTriangle) {
  matrix::Pattern p{.rows = 2, .cols = 2, .row_ptr = {0, 1, 3}, .col = {0, 0, 1}};
  EXPECT_FALSE(form_of(p).upper);
  p = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 3}, .col = {0, 1, 1}};
  EXPECT_TRUE(form_of(p).upper);
  p = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}};
  EXPECT_THROW(form_of(p), Error);
  p = {.rows = 2, .cols = 3, .row_ptr = {0, 1, 2}, .col = {0, 1}};
  EXPECT_THROW(form_of(p), Error);
}

}  // namespace
}  // namespace trisweep::sptrsv
