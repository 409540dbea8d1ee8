// Pivots that a front cannot take: what is delayed, what comes out, and that it is the matrix.

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "numeric/support.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/reshaping.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::numeric {
namespace {

using testing::DenseMatrix;
using testing::epsilon;
namespace hard = trisweep::testing_support;

template <class T>
class DelayedPivots : public ::testing::Test {};
TYPED_TEST_SUITE(DelayedPivots, testing_support::Scalars);

// The rules of symbolic::Structure, and those that plans rely on.
void expect_sound_structure(const symbolic::Structure& s) {
  ASSERT_EQ(s.first.back(), s.n);
  ASSERT_EQ(s.whole.size(), usize(s.supernodes()));
  ASSERT_EQ(s.tree.end[1], s.supernodes());
  std::vector<Index> node(usize(s.supernodes()), -1);
  for (Index t = 1; t < s.tree.nodes(); ++t) {
    for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) node[usize(k)] = t;
  }
  const auto is_above = [](Index t, Index u) {  // or the same node
    return std::bit_width(unsigned(t)) <= std::bit_width(unsigned(u)) &&
           u >> (std::bit_width(unsigned(u)) - std::bit_width(unsigned(t))) == t;
  };
  for (Index k = 0; k < s.supernodes(); ++k) {
    EXPECT_GT(s.width(k), 0);
    const auto rows = s.rows(k);
    EXPECT_EQ(std::ranges::adjacent_find(rows, std::ranges::greater_equal{}), rows.end());
    EXPECT_TRUE(rows.empty() || rows.front() >= s.first[usize(k) + 1]);
    for (const Index i : rows) {
      const Index above = s.supernode_of[usize(i)], parent = s.parent[usize(k)];
      EXPECT_TRUE(is_above(node[usize(above)], node[usize(k)]));
      EXPECT_TRUE(above == parent || std::ranges::binary_search(s.rows(parent), i));
    }
  }
}

// The product of the factors is `a` up to `allowed` epsilon.
template <Scalar T>
void expect_within(const Factors<T>& f, const matrix::Csr<T>& a, double allowed) {
  EXPECT_LT(testing::max_difference(testing::reconstruct(f), testing::dense(a)), allowed * epsilon<T>);
  EXPECT_EQ(f.perturbed_pivots, 0);
  expect_sound_structure(*f.structure);
}

template <Scalar T>
void expect_is(const Factors<T>& f, const matrix::Csr<T>& a, double tolerance) {
  expect_within(f, a, tolerance * testing::max_abs(testing::dense(a)));
}

matrix::Pattern full_pattern(Index n) {
  return testing::sparse<double>([&] {
           DenseMatrix ones(n);
           std::ranges::fill(ones.value, 1.0);
           return ones;
         }())
      .pattern;
}

// Ones on the antidiagonal: no column has its pivot before the last ones.
template <Scalar T>
matrix::Csr<T> antidiagonal(Index n) {
  DenseMatrix a(n);
  for (Index i = 0; i < n; ++i) a(i, n - 1 - i) = 1.0 + i;
  return testing::sparse<T>(a);
}

TYPED_TEST(DelayedPivots, ReproduceIntegerBases) {
  Index delayed = 0;
  for (const Index n : {20, 50, 90}) {
    for (const unsigned seed : {1u, 2u, 3u}) {
      const auto a = hard::with_phases<TypeParam>(hard::integer_basis(n, 2, seed));
      const auto f = factor(a, testing::random_structure(a.pattern, 5, seed), Kind::lu, {});
      expect_is(*f, a, 1e5);
      delayed += f->delayed_pivots;
    }
  }
  EXPECT_GT(delayed, 50);
}

TYPED_TEST(DelayedPivots, ReproduceSaddlePointsAndMatricesOfSigns) {
  for (const unsigned seed : {1u, 2u, 4u}) {
    for (const auto& rows : {hard::saddle_point(60, seed), hard::signs(80, 2, seed)}) {
      const auto a = hard::with_phases<TypeParam>(rows);
      const auto f = factor(a, testing::random_structure(a.pattern, 7, seed), Kind::lu, {});
      // Of entries alike in size rounding chooses the pivot, and with it the growth: each compiler has its
      // own.
      expect_within(*f, a, testing::rounded_of(*f));
    }
  }
}

TYPED_TEST(DelayedPivots, CascadeThroughManyFrontsUntilTheirRowsArrive) {
  for (const Index n : {2, 13, 40}) {
    const auto a = antidiagonal<TypeParam>(n);
    std::vector<Index> first(usize(n) + 1);
    std::iota(first.begin(), first.end(), 0);
    const auto f = factor(a, testing::structure_of(full_pattern(n), first), Kind::lu, {});
    expect_is(*f, a, 10);
    // The first half of the columns waits for the rows of the second, which then have other columns, too.
    EXPECT_GE(f->delayed_pivots, n / 2);
    EXPECT_LT(f->structure->first[1], n);
    EXPECT_EQ(f->row_new.size(), usize(n));
  }
}

TYPED_TEST(DelayedPivots, LeaveAFrontWithoutColumns) {
  // Two columns that are joined to the last supernode alone.
  DenseMatrix a(6);
  a(0, 4) = a(1, 5) = a(4, 0) = a(5, 1) = 3;
  a(2, 2) = a(3, 3) = 1;
  a(4, 4) = a(2, 3) = a(3, 5) = 0.5;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto f = factor(matrix, testing::structure_of(matrix.pattern, {0, 2, 4, 6}), Kind::lu, {});
  expect_is(*f, matrix, 100);
  EXPECT_EQ(f->delayed_pivots, 2);
  // A supernode is never wider than the analysis made them, so what is left is cut in two.
  EXPECT_EQ(f->structure->first, (std::vector<Index>{0, 2, 4, 6}));
}

TYPED_TEST(DelayedPivots, StayWithinAFrontOfSeveralSupernodes) {
  // Wide enough for a chain in one front; each supernode's columns need the rows of the next.
  const Index n = 160, w = 40;
  DenseMatrix a =
      testing::dense(testing::random_matrix<TypeParam>({.n = n, .density = 0.3, .seed = 4, .diagonal = 0}));
  for (Index i = 0; i < w; ++i) {
    for (Index j = 0; j < w; ++j) a(i, j) = 0;
    a(i, w + i) += 8.0;
    a(w + i, i) += 8.0;
    a(2 * w + i, 2 * w + i) += 8.0;
    a(3 * w + i, 3 * w + i) += 8.0;
  }
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto structure = testing::structure_of(full_pattern(n), {0, 40, 80, 120, 160});
  ASSERT_EQ(build_front_tree(*structure).fronts(), 1);
  const auto f = factor(matrix, structure, Kind::lu, {});
  expect_is(*f, matrix, 1e4);
  EXPECT_GE(f->delayed_pivots, w);
}

TYPED_TEST(DelayedPivots, BoundGrowth) {
  // The pivot 1e-5 is no small one by itself, but 1e5 times smaller than the entry below it.
  DenseMatrix a(3);
  a(0, 0) = 1e-5;
  a(0, 2) = a(2, 0) = a(1, 1) = a(2, 2) = a(1, 2) = 1;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto structure = testing::structure_of(matrix.pattern, {0, 1, 3});
  const auto f = factor(matrix, structure, Kind::lu, {});
  expect_is(*f, matrix, 10);
  EXPECT_EQ(f->delayed_pivots, 1);
  EXPECT_EQ(factor(matrix, structure, Kind::lu, {.relative_threshold = 1e-6})->delayed_pivots, 0);
}

TYPED_TEST(DelayedPivots, AreNoneWhenAFrontCanTakeItsSmallPivots) {
  // Nothing else is in its column: small, but good.
  DenseMatrix a = testing::identity(4);
  a(0, 0) = std::pow(epsilon<TypeParam>, 0.6);
  a(0, 3) = 0.5;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto structure = testing::structure_of(matrix.pattern, {0, 1, 4});
  const auto f = factor(matrix, structure, Kind::lu, {});
  expect_is(*f, matrix, 4);
  EXPECT_EQ(f->delayed_pivots, 0);
  EXPECT_EQ(f->structure, structure);
  EXPECT_TRUE(f->row_new.empty());
}

TYPED_TEST(DelayedPivots, OfASingularMatrixArePerturbedAtTheRoot) {
  // A row that is the sum of others, and two equal columns: of rank 38.
  DenseMatrix a = testing::dense(hard::with_phases<TypeParam>(hard::integer_basis(40, 2, 5)));
  for (Index j = 0; j < 40; ++j) a(3, j) = a(7, j) + a(20, j);
  for (Index i = 0; i < 40; ++i) a(i, 5) = a(i, 9);
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto f = factor(matrix, testing::random_structure(matrix.pattern, 4), Kind::lu, {});
  EXPECT_EQ(f->perturbed_pivots, 2);
  for (const TypeParam& value : f->diagonal.span()) EXPECT_TRUE(std::isfinite(std::abs(value)));
  const auto signs = hard::with_phases<TypeParam>(hard::signs(80, 2, 3));  // of rank 79
  EXPECT_EQ(factor(signs, testing::random_structure(signs.pattern, 4), Kind::lu, {})->perturbed_pivots, 1);
}

// Half of the equations are redundant: each pivot that no front can find is replaced where that is known.
TYPED_TEST(DelayedPivots, AreNotDelayedWhereNoFrontHasOne) {
  const Index n = 60;
  const auto matrix = testing::sparse<TypeParam>(testing::half_redundant(n, 3));
  const auto f = factor(matrix, testing::random_structure(matrix.pattern, 4), Kind::lu, {});
  EXPECT_EQ(f->perturbed_pivots, n);
  EXPECT_LT(f->delayed_pivots, n / 2);
}

TYPED_TEST(DelayedPivots, AreStaticWithoutAThreshold) {
  const auto a = hard::with_phases<TypeParam>(hard::integer_basis(90, 2, 1));
  const auto structure = testing::random_structure(a.pattern, 5);
  const auto f = factor(a, structure, Kind::lu, {.relative_threshold = 0});
  EXPECT_GT(f->perturbed_pivots, 0);
  EXPECT_EQ(f->delayed_pivots, 0);
  EXPECT_EQ(f->structure, structure);
}

template <Scalar T>
void expect_same(const Factors<T>& a, const Factors<T>& b) {
  EXPECT_TRUE(std::ranges::equal(a.lower.span(), b.lower.span()));
  EXPECT_TRUE(std::ranges::equal(a.diagonal.span(), b.diagonal.span()));
  EXPECT_TRUE(std::ranges::equal(a.upper.span(), b.upper.span()));
  EXPECT_EQ(a.row_new, b.row_new);
  EXPECT_EQ(a.col_new, b.col_new);
  EXPECT_EQ(a.structure->first, b.structure->first);
  EXPECT_EQ(a.structure->row, b.structure->row);
  EXPECT_EQ(a.delayed_pivots, b.delayed_pivots);
}

TYPED_TEST(DelayedPivots, AreBitwiseTheSameOnAnyNumberOfThreads) {
  const auto a = hard::with_phases<TypeParam>(hard::integer_basis(400, 1, 6));
  const auto structure = testing::random_structure(a.pattern, 6);
  const auto reference = factor(a, structure, Kind::lu, {.threads = 1});
  EXPECT_GT(reference->delayed_pivots, 0);
  for (const int threads : {2, 4, 1000})
    expect_same(*factor(a, structure, Kind::lu, {.threads = threads}), *reference);
}

// ---- behind ordering and symbolic analysis ----

struct AnalyzedSystem {
  matrix::Csr<double> a;
  std::shared_ptr<const symbolic::Structure> structure;
};

AnalyzedSystem analyzed(const matrix::Csr<double>& a, int whole_levels) {
  const auto o = ordering::order(a, false, {});
  const auto ordered = matrix::permuted_and_scaled<double>(a, o.row_new, o.col_new, o.row_scale, o.col_scale);
  const auto analysis = symbolic::analyze(matrix::symmetrized(ordered.pattern), o.tree,
                                          {.max_width = 48, .whole_levels = whole_levels});
  const std::vector<double> ones(usize(a.rows()), 1.0);
  const std::vector<Index>& to = analysis.new_of_ordered;
  return {matrix::permuted_and_scaled<double>(ordered, to, to, ones, ones), analysis.structure};
}

double largest_error(const AnalyzedSystem& system, const Factors<double>& f) {
  std::vector<double> truth(usize(system.a.rows())), b(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) truth[i] = 1.0 + double(i % 3);
  matrix::multiply<double>(system.a, Op::none, truth, b);
  const std::vector<double> x = testing::solve(f, b);
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = std::abs(x[i] - truth[i]);
    if (!(e <= error)) error = e;
  }
  return error;
}

TEST(DelayedPivotsInPractice, SolveWhatStaticPivotingPerturbs) {
  for (const Index n : {50, 200, 1000, 2000}) {
    for (const auto& rows : {hard::integer_basis(n, 2, usize(n)), hard::saddle_point(n, usize(n)),
                             hard::signs(n, 2, usize(n))}) {
      for (const int whole_levels : {0, 3}) {
        const AnalyzedSystem system = analyzed(hard::with_phases<double>(rows), whole_levels);
        const auto f = factor(system.a, system.structure, Kind::lu, {.threads = 2});
        EXPECT_EQ(f->perturbed_pivots, 0) << n;
        EXPECT_LT(largest_error(system, *f), 1e-6) << n;  // one sweep, without refinement
        expect_sound_structure(*f->structure);
      }
    }
  }
}

TEST(DelayedPivotsInPractice, KeepWholeSeparatorsWhole) {
  const AnalyzedSystem system = analyzed(hard::with_phases<double>(hard::integer_basis(2000, 2, 3)), 2);
  const auto f = factor(system.a, system.structure, Kind::lu, {});
  ASSERT_GT(f->delayed_pivots, 0);
  const auto roots = [](const symbolic::Structure& s) { return s.tree.end[1] - s.tree.begin[1]; };
  EXPECT_EQ(roots(*f->structure), roots(*system.structure));
  EXPECT_TRUE(f->structure->whole.back());
}

// ---- limits ----

TEST(DelayLimits, BoundTheRowsOfFrontsAndTheEntriesOfSubtrees) {
  const auto s = testing::structure_of(full_pattern(30), {0, 10, 20, 30});
  const FrontTree tree = build_front_tree(*s);
  const DelayLimits limits(tree, 1000);
  EXPECT_EQ(limits.most_delayed(tree, 0, 0), 4096 - 20);
  EXPECT_EQ(limits.most_delayed(tree, 1, 0), 4096 - 10);
  constexpr Offset most = Offset{4096} * 4096 + 8 * 1000;
  EXPECT_GT(limits.most_delayed(tree, 1, most), 0);
  EXPECT_EQ(limits.most_delayed(tree, 1, most + 1), 0);
}

// Four columns, of which the first two can be pivots only when the last two rows are there.
NamedMatrix<double> blocked(DenseMatrix& memory, std::vector<double>& values) {
  memory(0, 2) = memory(1, 3) = memory(2, 0) = memory(3, 1) = 1;
  for (const auto& v : memory.value) values.push_back(v.real());
  return {{values.data(), 4, 4, 4}, {0, 1, 2, 3}, {0, 1, 2, 3}};
}

TEST(ThresholdLuTest, LeavesWhatHasNoPivotUnlessItMustNot) {
  const PivotRules<double> rules{.relative = 0.01, .smallest = 1e-16, .replacement = 1e-8};
  for (const Index most_left : {2, 1, 0}) {
    DenseMatrix memory(4);
    std::vector<double> values;
    NamedMatrix<double> m = blocked(memory, values);
    ThresholdLu<double> lu(m, rules);
    lu.eliminate(2, most_left, 1e-8);
    EXPECT_EQ(lu.eliminated(), 2 - most_left);
    EXPECT_EQ(lu.perturbed_pivots(), 2 - most_left);
    lu.eliminate(4, 0, 1e-16);
    EXPECT_EQ(lu.eliminated(), 4);
    EXPECT_EQ(lu.perturbed_pivots(), 2 - most_left);
  }
}

TEST(ThresholdLuTest, ReplacesNullPivotsAtOnce) {
  // Columns 0 and 1 have no entry, and rows 0 and 1 some in the rest of the front.
  std::vector<double> values{0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 2, 4, 5, 0, 3};
  NamedMatrix<double> m{{values.data(), 4, 4, 4}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  ThresholdLu<double> lu(m, {.relative = 0.01, .smallest = 1e-16, .replacement = 1e-8});
  lu.eliminate(2, 2, 1e-8);
  EXPECT_EQ(lu.eliminated(), 0);  // no row is null
  values = {0, 0, 0, 0, 0, 2, 0, 1, 0, 1, 3, 2, 0, 5, 4, 3};
  m = {{values.data(), 4, 4, 4}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  ThresholdLu<double> singular(m, {.relative = 0.01, .smallest = 1e-16, .replacement = 1e-8});
  singular.eliminate(2, 2, 1e-8);
  EXPECT_EQ(singular.eliminated(), 2);
  EXPECT_EQ(singular.perturbed_pivots(), 1);
  EXPECT_EQ(m.col[1], 0);
  EXPECT_DOUBLE_EQ(m.value(3, 3), 3 - 0.5 * 5);
}

TEST(ThresholdLuTest, TakesAColumnOnceOthersHaveFilledIt) {
  // Column 0 has its only large entry below; once column 1 is eliminated it has one in row 0, too.
  std::vector<double> values{0, 1, 1, 1, 1, 1, 1, 1, 1};
  NamedMatrix<double> m{{values.data(), 3, 3, 3}, {0, 1, 2}, {0, 1, 2}};
  values = {1e-3, 0, 1, 1, 1, 0, 0, 0, 1};
  ThresholdLu<double> lu(m, {.relative = 0.01, .smallest = 1e-16, .replacement = 1e-8});
  lu.eliminate(2, 2, 1e-8);
  EXPECT_EQ(lu.eliminated(), 1);
  EXPECT_EQ(m.col[0], 1);
  lu.eliminate(3, 0, 1e-16);
  EXPECT_EQ(lu.eliminated(), 3);
  EXPECT_EQ(lu.perturbed_pivots(), 0);
}

}  // namespace
}  // namespace trisweep::numeric
