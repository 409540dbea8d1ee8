#include "trisweep/ordering/pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "trisweep/ordering/ordering.hpp"

namespace trisweep::ordering {
namespace {

// From dense rows.
matrix::Csr<double> matrix_of(const std::vector<std::vector<double>>& rows) {
  matrix::Csr<double> a;
  a.pattern.rows = a.pattern.cols = static_cast<Index>(rows.size());
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      a.pattern.col.push_back(static_cast<Index>(j));
      a.value.push_back(row[j]);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

TEST(Pairs, AreTheExchangesOfTheMatching) {
  const auto a = matrix_of({{0, 5, 0, 0}, {5, 0, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 1}});
  const std::vector<Index> col_of_row{1, 0, 2, 3};
  EXPECT_EQ(pairs_of(scaled_diagonal(a, unit_scaling(a.rows())), col_of_row),
            (std::vector<Index>{1, 0, 2, 3}));
}

TEST(Pairs, LeaveTheLargestDiagonalOfAnOddCycleAlone) {
  const auto a = matrix_of({{1, 4, 4}, {4, 0, 4}, {4, 4, 2}});
  const std::vector<Index> col_of_row{1, 2, 0};
  EXPECT_EQ(pairs_of(scaled_diagonal(a, unit_scaling(a.rows())), col_of_row), (std::vector<Index>{1, 0, 2}));
}

TEST(Pairs, OfAnEvenCycleAreMatchedEntries) {
  const auto a = matrix_of({{0, 4, 0, 4}, {4, 0, 4, 0}, {0, 4, 0, 4}, {4, 0, 4, 0}});
  const std::vector<Index> col_of_row{1, 2, 3, 0};
  EXPECT_EQ(pairs_of(scaled_diagonal(a, unit_scaling(a.rows())), col_of_row),
            (std::vector<Index>{1, 0, 3, 2}));
}

TEST(Pairs, AreNotNeededWhereARowIsAGoodPivotAlone) {
  const auto a = matrix_of({{0.5, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0.05, 1}, {0, 0, 1, 0.05}});
  const Scaling unit = unit_scaling(4), other{.row = {1, 1, 2, 0.5}, .col = {1, 1, 2, 0.5}};
  EXPECT_EQ(without_good_pivots(scaled_diagonal(a, unit), {1, 0, 3, 2}), (std::vector<Index>{0, 1, 3, 2}));
  EXPECT_EQ(without_good_pivots(scaled_diagonal(a, other), {1, 0, 3, 2}), (std::vector<Index>{0, 1, 2, 3}));
}

// Least squares: uniting the sparse rows of residuals with those of unknowns would fill nearly all.
TEST(Pairs, AreUnitedOnlyWhereThatHardlyFills) {
  constexpr Index residuals = 300, unknowns = 100, n = residuals + unknowns;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(0.5, 1);
  for (const bool fills : {true, false}) {
    std::vector<std::vector<double>> rows(usize(n), std::vector<double>(usize(n), 0.0));
    for (Index i = 0; i < residuals; ++i) {
      rows[usize(i)][usize(i)] = 1;
      for (int e = 0; e < (fills ? 3 : i < unknowns); ++e) {
        const auto j = residuals + (fills && e > 0 ? static_cast<Index>(random() % unknowns) : i % unknowns);
        rows[usize(i)][usize(j)] = rows[usize(j)][usize(i)] = value(random);
      }
    }
    const Ordering o = order(matrix_of(rows), true, {.pairs = true});
    const auto paired = [&](Index i) { return o.partner[usize(i)] != i; };
    Index in_pairs = 0;
    for (Index i = 0; i < n; ++i) in_pairs += paired(i);
    EXPECT_EQ(in_pairs, fills ? 0 : 2 * unknowns);
  }
}

TEST(Pairs, HaveTheSameRowsAndColumnsOnceUnited) {
  const auto a =
      matrix_of({{0, 5, 0, 0, 1}, {5, 0, 2, 0, 0}, {0, 2, 0, 7, 0}, {0, 0, 7, 0, 0}, {1, 0, 0, 0, 9}});
  const std::vector<Index> partner{1, 0, 3, 2, 4};
  const matrix::Pattern united = with_pairs_united(a.pattern, partner);
  EXPECT_EQ(united.col, matrix::symmetrized(united).col);
  const auto row = [&](Index i) { return std::vector<Index>(united.row(i).begin(), united.row(i).end()); };
  EXPECT_EQ(row(0), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(row(0), row(1));
  EXPECT_EQ(row(2), (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(row(2), row(3));
  EXPECT_EQ(row(4), (std::vector<Index>{0, 1, 4}));
}

// Units change neither pairs nor the scaled matrix, but for powers of two.
TEST(Pairs, AreNeighboursInTheOrderAndScaledAlikeInAnyUnits) {
  constexpr Index half = 40;
  std::vector<std::vector<double>> rows(usize(2 * half), std::vector<double>(usize(2 * half), 0.0));
  for (Index i = 0; i < half; ++i) {
    const auto join = [&](Index j, Index k, double v) {
      rows[usize(j)][usize(k)] = rows[usize(k)][usize(j)] = v;
    };
    join(i, half + i, 8);
    join(i, (i + 1) % half, 1);
    join(half + i, half + (i + 3) % half, 0.5);
  }
  auto a = matrix_of(rows);
  for (const bool in_units : {false, true}) {
    const auto unit = [&](Index i) { return in_units ? (i * 13) % 61 - 30 : 0; };
    auto scaled = a;
    for (Index i = 0; i < a.rows(); ++i) {
      for (const Offset e : a.pattern.entries(i))
        scaled.value[usize(e)] = std::ldexp(a.value[usize(e)], unit(i) + unit(a.pattern.col[usize(e)]));
    }
    const Ordering o = order(scaled, true, {.pairs = true});
    EXPECT_EQ(o.row_new, o.col_new);
    EXPECT_EQ(o.row_scale, o.col_scale);
    for (Index i = 0; i < half; ++i) {
      EXPECT_EQ(o.partner[usize(i)], half + i);
      EXPECT_EQ(std::abs(o.row_new[usize(i)] - o.row_new[usize(half + i)]), 1);
    }
    for (Index i = 0; i < a.rows(); ++i) {
      for (const Offset e : a.pattern.entries(i)) {
        const Index j = a.pattern.col[usize(e)];
        const double value = std::abs(scaled.value[usize(e)]) * o.row_scale[usize(i)] * o.col_scale[usize(j)];
        EXPECT_LE(value, 4);
        if (o.partner[usize(i)] == j) EXPECT_GE(value, 0.25);
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::ordering
