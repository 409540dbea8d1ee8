#include "trisweep/ordering/block_triangular_form.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "gallery/gallery.hpp"
#include "support/random_matrix.hpp"
#include "support/sparse_rows.hpp"

namespace trisweep::ordering {
namespace {

using matrix::Csr;
using testing_support::csr_of;

BlockTriangularForm form_of(const Csr<double>& a) {
  return block_triangular_form(a, silent_observer());
}

// Of every stage as many rows as columns, no nonzero in a column of a later stage than its row's, and as many
// beside the blocks as the form says.
void expect_form_of(const Csr<double>& a, const BlockTriangularForm& form, const std::string& name = {}) {
  std::vector<Index> balance(usize(form.stages));
  Offset beside = 0;
  ASSERT_EQ(std::ssize(form.row_stage), a.rows()) << name;
  ASSERT_EQ(std::ssize(form.col_stage), a.rows()) << name;
  for (const Index stage : form.row_stage) ++balance.at(usize(stage));
  for (const Index stage : form.col_stage) --balance.at(usize(stage));
  EXPECT_EQ(balance, std::vector<Index>(balance.size())) << name;
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i)) {
      const Index of_row = form.row_stage[usize(i)], of_col = form.col_stage[usize(a.pattern.col[usize(e)])];
      if (a.value[usize(e)] == 0) continue;
      EXPECT_LE(of_col, of_row) << name;
      if (of_col < of_row) ++beside;
    }
  EXPECT_EQ(form.off_diagonal, beside) << name;
}

// Three cycles of ten rows each, of which each has an entry in the column of one before; rows in any order.
Csr<double> chained_cycles(const std::vector<Index>& row_place) {
  std::vector<std::map<Index, double>> rows(30);
  for (Index i = 0; i < 30; ++i) {
    auto& row = rows[usize(row_place[usize(i)])];
    row[i] = 4;
    row[i / 10 * 10 + (i + 1) % 10] = 1;
    if (i % 10 == 3 && i >= 10) row[i - 10] = 2;
  }
  return csr_of(rows);
}

TEST(BlockTriangularForm, HasAStageForEachBlockThatDependsOnOthers) {
  std::vector<Index> place(30);
  std::iota(place.begin(), place.end(), Index{0});
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const auto a = chained_cycles(place);
    const auto form = form_of(a);
    ASSERT_EQ(form.stages, 3) << trial;
    expect_form_of(a, form);
    EXPECT_EQ(form.off_diagonal, 2);
    for (Index i = 0; i < 30; ++i) {
      EXPECT_EQ(form.row_stage[usize(place[usize(i)])], i / 10);
      EXPECT_EQ(form.col_stage[usize(i)], i / 10);
    }
    std::ranges::shuffle(place, random);  // the diagonal then has zeros
  }
}

TEST(BlockTriangularForm, IsOneStageOfWhatCannotBeDivided) {
  EXPECT_EQ(form_of(std::get<Csr<double>>(gallery::make_matrix("convection3d", {.n = 5}))).stages, 1);
  EXPECT_EQ(form_of(testing_support::random_matrix<double>({.n = 50, .hermitian = true})).stages, 1);
  EXPECT_EQ(form_of(csr_of<double>({{{0, 2.0}}})).stages, 1);
  // Blocks that do not depend on each other.
  EXPECT_EQ(form_of(csr_of<double>({{{0, 2.0}}, {{1, 3.0}}, {{2, 1.0}}})).stages, 1);
  // Structurally singular: with an empty column, and without.
  EXPECT_EQ(form_of(csr_of<double>({{{0, 2.0}}, {{0, 3.0}}})).stages, 1);
  EXPECT_EQ(form_of(csr_of<double>({{{2, 2.0}}, {{2, 3.0}}, {{0, 1.0}, {1, 1.0}}})).stages, 1);
}

TEST(BlockTriangularForm, TakesExplicitZerosForNoEntries) {
  const auto a = csr_of<double>({{{0, 2.0}, {1, 0.0}}, {{0, 1.0}, {1, 3.0}}});
  const auto form = form_of(a);
  EXPECT_EQ(form.stages, 2);
  expect_form_of(a, form);
}

// Each unknown depends on the one before: a thousand blocks, none of which is worth a stage.
TEST(BlockTriangularForm, DoesNotMakeAStageOfEachRowOfAChain) {
  std::vector<std::map<Index, double>> rows(1000);
  for (Index i = 0; i < 1000; ++i) {
    rows[usize(i)][i] = 2;
    if (i > 0) rows[usize(i)][i - 1] = 1;
  }
  EXPECT_EQ(form_of(csr_of(rows)).stages, 1);
  // Light levels before and behind a heavy one become a stage each.
  for (Index i = 100; i < 900; ++i) {
    rows[usize(i)].erase(i - 1);
    rows[usize(i)][99] = 1;
  }
  const auto a = csr_of(rows);
  const auto form = form_of(a);
  EXPECT_EQ(form.stages, 3);
  expect_form_of(a, form);
  EXPECT_EQ(form.off_diagonal, 801);
}

// The wave fronts of a flow in three dimensions, of which none has a tenth of the rows: factored as one they
// would fill like any grid. In a small grid that does not matter. The same with rows in another order than
// columns.
TEST(BlockTriangularForm, HasManyStagesWhereFewWouldFillMuch) {
  const auto flow = [](Index n) {
    return std::get<Csr<double>>(gallery::make_matrix("transport3d", {.n = n}));
  };
  EXPECT_EQ(form_of(flow(8)).stages, 1);
  const Csr<double> a = flow(18);
  std::vector<Index> place(usize(a.rows()));
  std::iota(place.begin(), place.end(), Index{0});
  std::mt19937 random(3);
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::ranges::shuffle(place, random);
    std::vector<std::map<Index, double>> rows(place.size());
    for (Index i = 0; i < a.rows(); ++i)
      for (const Offset e : a.pattern.entries(i))
        rows[usize(place[usize(i)])][a.pattern.col[usize(e)]] = a.value[usize(e)];
    const Csr<double> permuted = csr_of(rows);
    const auto form = form_of(permuted);
    EXPECT_GT(form.stages, 16);
    EXPECT_LE(form.stages, 32);
    EXPECT_TRUE(form.fills_less);
    expect_form_of(permuted, form);
  }
}

// Implicit steps in time as one system: each step's square depends on the one before. Neighbouring steps that
// share a stage fill each other, and every step is worth a stage of its own, though hardly any nonzeros are
// outside of the diagonal blocks of fewer stages.
TEST(BlockTriangularForm, HasAStageForEachStepInTime) {
  constexpr Index side = 30, square = side * side, steps = 100;
  std::vector<std::map<Index, double>> rows(usize(square * steps));
  for (Index i = 0; i < square * steps; ++i) {
    auto& row = rows[usize(i)];
    const Index x = i % side, y = i % square / side;
    row[i] = 5;
    if (x > 0) row[i - 1] = -1;
    if (x + 1 < side) row[i + 1] = -1;
    if (y > 0) row[i - side] = -1;
    if (y + 1 < side) row[i + side] = -1;
    if (i >= square) row[i - square] = -1;
  }
  const auto a = csr_of(rows);
  const auto form = form_of(a);
  EXPECT_EQ(form.stages, steps);
  EXPECT_TRUE(form.fills_less);
  EXPECT_EQ(form.off_diagonal, (steps - 1) * square);
  expect_form_of(a, form);
}

// A tree, whose rows and columns are in different orders: most of its edges would be between stages, but it
// does not fill.
TEST(BlockTriangularForm, HasFewStagesWhereTheseDoNotFill) {
  std::mt19937 random(3);
  std::vector<std::map<Index, double>> rows(6000);
  for (Index i = 0; i < 6000; ++i) {
    rows[usize(i)][i] = 2;
    if (i > 0) rows[usize(i)][std::max(0, i - 1 - static_cast<Index>(random() % 100))] = 1;
  }
  std::ranges::shuffle(rows, random);
  EXPECT_EQ(form_of(csr_of(rows)).stages, 1);
}

TEST(BlockTriangularForm, HoldsForRandomMatrices) {
  std::mt19937_64 random(5);
  std::set<Index> stages;
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<Index>(1 + random() % 40);
    std::vector<std::map<Index, double>> rows(usize(n));
    for (std::size_t e = 0; e < usize(n) + random() % (2 * usize(n)); ++e)
      rows[random() % usize(n)][static_cast<Index>(random() % usize(n))] = 1;
    for (Index i = 0; i < n; ++i) rows[usize((7 * i + 3) % n == 0 ? i : n - 1 - i)][i] += 3;
    const auto a = csr_of(rows);
    const auto form = form_of(a);
    stages.insert(form.stages);
    if (form.stages > 1) expect_form_of(a, form, fmt::format("trial {}", trial));
  }
  EXPECT_GE(stages.size(), 4U);
}

}  // namespace
}  // namespace trisweep::ordering
