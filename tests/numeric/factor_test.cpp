#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "numeric/support.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/tree_parallelism.hpp"

namespace trisweep::numeric {
namespace {

using testing::Complex;
using testing::DenseMatrix;
using testing::epsilon;

template <class T>
class Factor : public ::testing::Test {};
TYPED_TEST_SUITE(Factor, testing_support::Scalars);

template <Scalar T>
void expect_reproduces(const matrix::Csr<T>& a, const Factors<T>& f, double tolerance) {
  const DenseMatrix original = testing::dense(a);
  EXPECT_LT(testing::max_difference(testing::reconstruct(f), original),
            tolerance * epsilon<T> * testing::max_abs(original));
}

TYPED_TEST(Factor, LuReproducesTheMatrix) {
  for (const Index widest : {1, 3, 12, 40}) {
    const auto a = testing::random_matrix<TypeParam>({.n = 90, .density = 0.03, .seed = unsigned(widest)});
    const auto f = factor(a, testing::random_structure(a.pattern, widest), Kind::lu, {});
    ASSERT_TRUE(f);
    EXPECT_EQ(f->perturbed_pivots, 0);
    expect_reproduces(a, *f, 1000);
  }
}

TYPED_TEST(Factor, CholeskyReproducesTheMatrix) {
  for (const Index widest : {1, 3, 12, 40}) {
    const auto a =
        testing::random_definite_matrix<TypeParam>({.n = 90, .density = 0.03, .seed = unsigned(widest)});
    const auto f = factor(a, testing::random_structure(a.pattern, widest), Kind::cholesky, {});
    ASSERT_TRUE(f);
    EXPECT_EQ(f->upper.size(), 0u);
    expect_reproduces(a, *f, 300);
  }
}

// Wide supernodes whose rows continue in the next one share a front.
TYPED_TEST(Factor, ChainsOfWideSupernodesReproduceTheMatrix) {
  const std::vector<Index> first{0, 20, 60, 100, 133, 170, 180};
  const testing::RandomMatrix options{.n = 180, .density = 0.05, .seed = 5, .diagonal = 8};
  const auto general = testing::random_matrix<TypeParam>(options);
  const auto lu = factor(general, testing::structure_of(general.pattern, first), Kind::lu, {});
  expect_reproduces(general, *lu, 2000);
  const auto definite = testing::random_definite_matrix<TypeParam>(options);
  const auto cholesky = factor(definite, testing::structure_of(definite.pattern, first), Kind::cholesky, {});
  expect_reproduces(definite, *cholesky, 2000);
}

TYPED_TEST(Factor, PivotsWithinADiagonalBlock) {
  const Index n = 50;
  DenseMatrix a = testing::dense(testing::random_matrix<TypeParam>({.n = n, .density = 0.5, .diagonal = 0}));
  for (Index i = 0; i < n; ++i) a(i, i) = 0, a(i, (i + 7) % n) = 9;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto f = factor(matrix, testing::structure_of(matrix.pattern, {0, n}), Kind::lu, {});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->perturbed_pivots, 0);
  expect_reproduces(matrix, *f, 3000);
}

TYPED_TEST(Factor, SweepsOverThePanelsSolve) {
  const auto check = [](const auto& a, Kind kind) {
    const auto f = factor(a, testing::random_structure(a.pattern, 9), kind, {});
    ASSERT_TRUE(f);
    std::vector<TypeParam> x(usize(a.rows())), b(usize(a.rows()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = TypeParam(1 + double(i % 7));
    matrix::multiply<TypeParam>(a, Op::none, x, b);
    const std::vector<TypeParam> solution = testing::solve(*f, b);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LT(std::abs(solution[i] - x[i]), 2000 * epsilon<TypeParam>);
  };
  check(testing::random_matrix<TypeParam>({.n = 120, .density = 0.03, .seed = 11, .diagonal = 8}), Kind::lu);
  check(testing::random_definite_matrix<TypeParam>({.n = 120, .density = 0.03, .seed = 12}), Kind::cholesky);
}

TYPED_TEST(Factor, IsBitwiseTheSameOnAnyNumberOfThreads) {
  const auto same = [](const Buffer<TypeParam>& a, const Buffer<TypeParam>& b) {
    return std::ranges::equal(a.span(), b.span());
  };
  const auto a = testing::random_definite_matrix<TypeParam>({.n = 400, .density = 0.004, .seed = 3});
  const auto structure = testing::random_structure(a.pattern, 6);
  for (const Kind kind : {Kind::lu, Kind::cholesky}) {
    const auto reference = factor(a, structure, kind, {.threads = 1});
    for (const int threads : {2, 4, 1000}) {
      const auto f = factor(a, structure, kind, {.threads = threads});
      ASSERT_TRUE(f);
      EXPECT_TRUE(same(f->lower, reference->lower));
      EXPECT_TRUE(same(f->diagonal, reference->diagonal));
      EXPECT_TRUE(same(f->upper, reference->upper));
    }
  }
}

TYPED_TEST(Factor, HandlesOneUnknownAndDiagonalMatrices) {
  for (const Index n : {1, 13}) {
    DenseMatrix a(n);
    for (Index i = 0; i < n; ++i) a(i, i) = 2.0 + i;
    const auto matrix = testing::sparse<TypeParam>(a);
    for (const Kind kind : {Kind::lu, Kind::cholesky}) {
      const auto f = factor(matrix, testing::random_structure(matrix.pattern, 1), kind, {.threads = 2});
      ASSERT_TRUE(f);
      for (Index k = 0; k < n; ++k) {
        EXPECT_LT(std::abs(*f->diagonal_block(k) - TypeParam(1) / TypeParam(2.0 + k)), epsilon<TypeParam>);
      }
    }
  }
}

TYPED_TEST(Factor, CountsAndReplacesPivotsOfASingularMatrix) {
  // The first two columns are equal, and so are rows and columns 3 and 4 of a block of their own.
  DenseMatrix a(5);
  a(0, 0) = a(0, 1) = a(1, 0) = a(1, 1) = 2;
  a(2, 2) = 1;
  a(3, 3) = a(3, 4) = a(4, 3) = a(4, 4) = -3;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto f = factor(matrix, testing::structure_of(matrix.pattern, {0, 2, 3, 4, 5}), Kind::lu,
                        {.pivot_threshold = 1e-3});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->perturbed_pivots, 2);
  // Zero pivots have no sign: they become +1e-3 * 3.
  EXPECT_NEAR(std::abs(f->diagonal_block(3)[0]), 1 / 3e-3, 1);
}

TYPED_TEST(Factor, KeepsThePhaseOfAReplacedPivot) {
  DenseMatrix a(2);
  a(0, 0) = -1e-6;
  a(1, 1) = 1;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto f =
      factor(matrix, testing::structure_of(matrix.pattern, {0, 1, 2}), Kind::lu, {.pivot_threshold = 1e-3});
  EXPECT_EQ(f->perturbed_pivots, 1);
  EXPECT_NEAR(std::real(f->diagonal_block(0)[0]), -1e3, 1);
}

TYPED_TEST(Factor, SaysWhenAMatrixIsNotPositiveDefinite) {
  const auto definite = testing::random_definite_matrix<TypeParam>({.n = 60, .density = 0.05});
  for (const Index bad : {0, 31, 59}) {
    DenseMatrix a = testing::dense(definite);
    a(bad, bad) = -a(bad, bad);
    const auto matrix = testing::sparse<TypeParam>(a);
    const auto structure = testing::random_structure(matrix.pattern, 5);
    EXPECT_FALSE(factor(matrix, structure, Kind::cholesky, {}));
    EXPECT_FALSE(factor(matrix, structure, Kind::cholesky, {.threads = 3}));
    EXPECT_TRUE(factor(matrix, structure, Kind::lu, {}));
  }
}

TYPED_TEST(Factor, SurvivesValuesThatAreNotNumbers) {
  auto a = testing::random_definite_matrix<TypeParam>({.n = 40, .density = 0.1});
  const auto structure = testing::random_structure(a.pattern, 20);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto broken = a;
    broken.value[0] = TypeParam(RealOf<TypeParam>(bad));
    EXPECT_TRUE(factor(broken, structure, Kind::lu, {}));
    EXPECT_FALSE(factor(broken, structure, Kind::cholesky, {}));
  }
}

TEST(FactorErrors, RejectsAMatrixOfAnotherStructure) {
  const auto a = testing::random_matrix<double>({.n = 20, .density = 0.0});
  const auto structure = testing::random_structure(a.pattern, 1);
  EXPECT_THROW(factor(testing::random_matrix<double>({.n = 21}), structure, Kind::lu, {}), Error);
  EXPECT_THROW(factor(testing::random_matrix<double>({.n = 20, .density = 0.3}), structure, Kind::lu, {}),
               Error);
  EXPECT_THROW(
      factor(testing::random_matrix<double>({.n = 20, .density = 0.3}), structure, Kind::lu, {.threads = 4}),
      Error);
}

TEST(FactorProgress, EndsAtOneAndNeverGoesBack) {
  struct Recorder : Observer {
    void progress(std::string_view stage, double fraction) override {
      EXPECT_EQ(stage, "factor");
      fractions.push_back(fraction);
    }
    std::vector<double> fractions;
  } recorder;
  const auto a = testing::random_matrix<double>({.n = 200, .density = 0.01});
  factor(a, testing::random_structure(a.pattern, 4), Kind::lu, {.threads = 2}, recorder);
  ASSERT_FALSE(recorder.fractions.empty());
  EXPECT_TRUE(std::ranges::is_sorted(recorder.fractions));
  EXPECT_EQ(recorder.fractions.back(), 1);
}

struct LaunchBoundary : std::runtime_error {
  LaunchBoundary() : std::runtime_error("stop") {}
};

TEST(FactorProgress, OfALargeFrontCanBeEndedWithin) {
  struct Impatient : Observer {
    void poll() override { throw LaunchBoundary(); }
  } impatient;
  for (const Kind kind : {Kind::lu, Kind::cholesky}) {
    const auto a = testing::random_definite_matrix<double>({.n = 900, .density = 1});
    EXPECT_THROW(factor(a, testing::random_structure(a.pattern, 64), kind, {}, impatient), LaunchBoundary);
  }
}

// Of two units that can begin at once either thread has one: that of the other ends when the caller is asked,
// or never is.
TEST(FactorProgress, IsAskedOfACallerThatWaitsForThreads) {
  const std::vector<Unit> units(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> other_works = false, asked = false;
  const auto work = [&](int thread, const Unit&) {
    if (thread == 1) other_works = true;
    const auto given_up = Clock::now() + std::chrono::seconds(20);
    while ((thread == 0 ? !other_works : !asked) && Clock::now() < given_up) std::this_thread::yield();
    return true;
  };
  EXPECT_TRUE(run_units(units, 2, work, [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    asked = true;
  }));
  EXPECT_TRUE(asked);
  other_works = asked = false;
  EXPECT_THROW(run_units(units, 2, work,
                         [&] {
                           asked = true;
                           throw LaunchBoundary();
                         }),
               LaunchBoundary);
}

}  // namespace
}  // namespace trisweep::numeric
