// L D L^T and L D L^H of indefinite matrices: what comes out is the matrix, and its inertia and determinant
// are right whatever pivots of order 2 and delays it took.

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/support.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/threshold_ldl.hpp"

namespace trisweep::numeric {
namespace {

using testing::Complex;
using testing::DenseMatrix;
using testing::epsilon;

template <class T>
class Ldl : public ::testing::Test {};
TYPED_TEST_SUITE(Ldl, testing_support::Scalars);

template <Scalar T>
std::vector<Kind> kinds() {
  if (is_complex<T>) return {Kind::ldlt, Kind::ldlh};
  return {Kind::ldlt};
}

// P M S op(M) P^T with S of 1, -1 and [0 1; 1 0], and M a sparse unit triangle of small integers (complex:
// and multiples of i): its inertia and determinant are those of S.
struct Congruent {
  DenseMatrix a;
  PivotSummary expected;
};

Congruent congruent(Index n, std::uint64_t seed, bool complex, Kind kind) {
  std::mt19937_64 random(seed);
  const auto mirror = [&](Complex v) { return mirrored(upper_of_lower(kind), v); };
  Congruent result{DenseMatrix(n), {}};
  DenseMatrix m = testing::identity(n), transposed = testing::identity(n), s(n), permutation(n),
              inverse_permutation(n);
  for (Index e = 0; e < 2 * n; ++e) {
    const auto i = static_cast<Index>(random() % usize(n)), j = static_cast<Index>(random() % usize(n));
    const Complex value = complex && random() % 2 == 0 ? Complex(0, 1) : Complex(random() % 2 == 0 ? 1 : -1);
    if (i == j) continue;
    m(std::max(i, j), std::min(i, j)) = value;
    transposed(std::min(i, j), std::max(i, j)) = mirror(value);
  }
  const bool has_signs = !complex || kind == Kind::ldlh;
  for (Index k = 0; k < n; ++k) {
    if (k + 1 < n && random() % 2 == 0) {
      s(k, k + 1) = s(k + 1, k) = 1;
      result.expected.add_pair(-1.0, 0.0, Kind::ldlt);
      ++k;
      continue;
    }
    const double sign = random() % 2 == 0 ? 1 : -1;
    s(k, k) = sign;
    result.expected.add(sign, Kind::ldlt);
  }
  if (!has_signs) result.expected.positive = result.expected.negative = 0;
  const auto order = testing_support::shuffled(n, random);
  for (Index i = 0; i < n; ++i) permutation(order[usize(i)], i) = inverse_permutation(i, order[usize(i)]) = 1;
  result.a = permutation * (m * s * transposed) * inverse_permutation;
  return result;
}

template <Scalar T>
void expect_is(const Factors<T>& f, const DenseMatrix& a, double tolerance) {
  EXPECT_LT(testing::max_difference(testing::reconstruct(f), a),
            tolerance * epsilon<T> * testing::max_abs(a));
  EXPECT_EQ(f.upper.size(), 0u);
  EXPECT_EQ(f.row_new, f.col_new);
}

void expect_same(const PivotSummary& found, const PivotSummary& expected, double tolerance) {
  EXPECT_EQ(found.positive, expected.positive);
  EXPECT_EQ(found.negative, expected.negative);
  EXPECT_EQ(found.zero, expected.zero);
  EXPECT_NEAR(found.log_modulus, expected.log_modulus, tolerance);
  EXPECT_LT(std::abs(found.phase - expected.phase), tolerance);
}

struct Accuracy {
  double threshold, tolerance;  // relative_threshold; errors in epsilon
};

// With the usual threshold, 0.01, entries may grow so much within a few pivots that single precision has
// hardly a digit left: whether they do is decided by how a processor rounds.
template <Scalar T>
std::vector<Accuracy> accuracies() {
  if (std::same_as<RealOf<T>, float>) return {{0.1, 1e4}};
  return {{0.1, 1e4}, {0.01, 1e5}};
}

// Returns how many pivots were delayed.
template <Scalar T>
Index expect_reproduced(const Congruent& c, Kind kind, std::uint64_t seed, Index widest) {
  const auto a = testing::sparse<T>(c.a);
  const auto structure = testing::random_structure(a.pattern, widest, unsigned(seed));
  Index delayed = 0;
  for (const Accuracy& of : accuracies<T>()) {
    const auto f = factor(a, structure, kind, {.threads = 2, .relative_threshold = of.threshold});
    if (!f) {
      ADD_FAILURE() << "no factors";
      continue;
    }
    EXPECT_EQ(f->perturbed_pivots, 0);
    expect_is(*f, c.a, of.tolerance);
    expect_same(f->pivots, c.expected, 10 * of.tolerance * epsilon<T>);
    delayed = f->delayed_pivots;
  }
  return delayed;
}

TYPED_TEST(Ldl, ReproducesIndefiniteMatricesWithTheirInertiaAndDeterminant) {
  using T = TypeParam;
  Index delayed = 0;
  for (const Kind kind : kinds<T>()) {
    for (const Index n : {1, 2, 7, 30, 60}) {
      for (const std::uint64_t seed : {1, 2, 3}) {
        for (const Index widest : {1, 5, 40})
          delayed += expect_reproduced<T>(congruent(n, seed, is_complex<T>, kind), kind, seed, widest);
      }
    }
  }
  EXPECT_GT(delayed, 50);
}

// Nothing but pairs, and the second of each arrives in the last front.
TYPED_TEST(Ldl, DelaysTheFirstRowsOfPairsUntilTheSecondArrive) {
  using T = TypeParam;
  for (const Kind kind : kinds<T>()) {
    for (const Index n : {2, 12, 40}) {
      DenseMatrix a(n);
      for (Index i = 0; i < n / 2; ++i) {
        a(i, n - 1 - i) = Complex(1.0 + i, is_complex<T> ? 0.5 : 0);
        a(n - 1 - i, i) = mirrored(upper_of_lower(kind), a(i, n - 1 - i));
      }
      DenseMatrix ones(n);
      std::ranges::fill(ones.value, 1.0);
      std::vector<Index> first(usize(n) + 1);
      std::iota(first.begin(), first.end(), 0);
      const auto f = factor(testing::sparse<T>(a),
                            testing::structure_of(testing::sparse<double>(ones).pattern, first), kind, {});
      expect_is(*f, a, 10);
      EXPECT_GE(f->delayed_pivots, n / 2);
      const bool has_signs = !is_complex<T> || kind == Kind::ldlh;
      EXPECT_EQ(f->pivots.positive, has_signs ? n / 2 : 0);
      EXPECT_EQ(f->pivots.negative, has_signs ? n / 2 : 0);
    }
  }
}

TYPED_TEST(Ldl, TakesTheFirstPivotsWithoutDelayWhereTheyAreGood) {
  using T = TypeParam;
  DenseMatrix a = testing::dense(testing::random_definite_matrix<T>({.n = 90, .density = 0.05}));
  for (Index j = 0; j < a.n; ++j) {
    for (Index i = 0; i < a.n; ++i) a(i, j) = i == j ? (i % 3 == 0 ? -1.0 : 1.0) * a(i, j) : a(i, j);
  }
  const Kind kind = is_complex<T> ? Kind::ldlh : Kind::ldlt;
  for (const Index widest : {4, 100}) {
    const auto matrix = testing::sparse<T>(a);
    const auto f = factor(matrix, testing::random_structure(matrix.pattern, widest), kind, {});
    expect_is(*f, a, 1000);
    EXPECT_EQ(f->delayed_pivots, 0);
    EXPECT_EQ(f->pivots.negative, 30);
    EXPECT_EQ(f->pivots.positive, 60);
  }
}

TYPED_TEST(Ldl, CountsAZeroEigenvalue) {
  using T = TypeParam;
  // The Laplacian of a ring, less a multiple of the identity that makes it indefinite: 0 is twice an
  // eigenvalue.
  const Index n = 12;
  DenseMatrix a(n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) = 1;
    a(i, (i + 1) % n) = a((i + 1) % n, i) = -1;
  }
  const Kind kind = is_complex<T> ? Kind::ldlh : Kind::ldlt;
  const auto matrix = testing::sparse<T>(a);
  const auto f = factor(matrix, testing::random_structure(matrix.pattern, 3), kind, {});
  EXPECT_EQ(f->perturbed_pivots, 2);
  EXPECT_EQ(f->pivots.zero, 2);
  EXPECT_EQ(f->pivots.negative, 3);  // 1 - 2 cos(2 pi k / 12) < 0 for k = 0, 1, 11
  EXPECT_EQ(f->pivots.positive, 7);
  EXPECT_EQ(f->pivots.phase, Complex(0));
}

// 1e200 (6 I + ones), in tiny fronts: the product of two pivots is no number.
// Half of the equations are redundant: each zero eigenvalue is found where it is known, not at the root.
TYPED_TEST(Ldl, DelaysNoZeroEigenvalueThatNoFrontChanges) {
  const Index n = 60;
  const auto matrix = testing::sparse<TypeParam>(testing::half_redundant(n, 2));
  for (const Kind kind : kinds<TypeParam>()) {
    const auto f = factor(matrix, testing::random_structure(matrix.pattern, 4), kind, {});
    EXPECT_EQ(f->perturbed_pivots, n);
    EXPECT_LT(f->delayed_pivots, n / 2);
    if (f->pivots.has_signs) EXPECT_EQ(f->pivots.zero, n);
  }
}

TEST(ThresholdLdlTest, ReplacesNullPivotsAtOnce) {
  // Rows 0 and 2 are a pivot of order 2; row 1 has but entries that are smaller than any pivot, NaN is none.
  for (const double tiny : {0.0, 1e-17, std::nan("")}) {
    std::vector<double> values{0, tiny, 1, 2, 0, tiny, tiny, tiny, 0, 0, 0, 1, 0, 0, 0, 5};
    NamedMatrix<double> m{{values.data(), 4, 4, 4}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    ThresholdLdl<double> ldl(m, Kind::ldlt, {.relative = 0.01, .smallest = 1e-16, .replacement = 1e-8});
    ldl.eliminate(3, 3, 1e-8);
    const bool is_null = !std::isnan(tiny);
    EXPECT_EQ(ldl.eliminated(), is_null ? 3 : 2);
    EXPECT_EQ(ldl.perturbed_pivots(), is_null ? 1 : 0);
    EXPECT_EQ(ldl.pivots().zero, is_null ? 1 : 0);
    if (is_null) EXPECT_NEAR(m.value(3, 3), 5 - 2 * 2 * 1, 1e-8);  // (2 1) [0 1; 1 0]^-1 (2 1)^T
  }
}

TEST(LdlLimits, TellTheDeterminantOfPivotsWhoseProductOverflows) {
  constexpr Index n = 6;
  DenseMatrix a(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = i == j ? 7e200 : 1e200;
  }
  const auto matrix = testing::sparse<double>(a);
  const auto structure = testing::structure_of(matrix.pattern, {0, 3, 6});
  for (const Kind kind : {Kind::ldlt, Kind::cholesky}) {
    const auto f = factor(matrix, structure, kind, {});
    ASSERT_TRUE(f);
    EXPECT_EQ(f->pivots.positive, n);
    EXPECT_NEAR(f->pivots.log_modulus, 1200 * std::log(10.0) + 5 * std::log(6.0) + std::log(12.0), 1e-9);
  }
}

TYPED_TEST(Ldl, IsTheSameOnAnyNumberOfThreads) {
  using T = TypeParam;
  const Kind kind = kinds<T>().back();
  const auto a = testing::sparse<T>(congruent(60, 4, is_complex<T>, kind).a);
  const auto structure = testing::random_structure(a.pattern, 5);
  const auto one = factor(a, structure, kind, {.threads = 1});
  const auto four = factor(a, structure, kind, {.threads = 4});
  EXPECT_TRUE(std::ranges::equal(one->lower.span(), four->lower.span()));
  EXPECT_TRUE(std::ranges::equal(one->diagonal.span(), four->diagonal.span()));
  EXPECT_EQ(one->pivots.log_modulus, four->pivots.log_modulus);
}

}  // namespace
}  // namespace trisweep::numeric
