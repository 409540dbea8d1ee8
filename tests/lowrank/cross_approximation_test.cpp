#include "trisweep/lowrank/cross_approximation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lowrank/support.hpp"
#include "support/scalars.hpp"
#include "trisweep/lowrank/recompress.hpp"

namespace trisweep::lowrank {
namespace {

template <class T>
class CrossApproximationTest : public testing::Test {};
TYPED_TEST_SUITE(CrossApproximationTest, testing_support::Scalars);

template <Scalar T>
std::vector<double> tolerances() {
  if (std::same_as<RealOf<T>, float>) return {1e-2, 1e-4};
  return {1e-3, 1e-6, 1e-8};
}

TYPED_TEST(CrossApproximationTest, IsAsAccurateAsAsked) {
  using T = TypeParam;
  constexpr Index rows = 150, cols = 130;
  const auto block = kernel_block<T>(rows, cols);
  const DenseEntries<T> entries{view_of(block, rows)};
  for (const Cross method : {Cross::aca, Cross::aca_plus}) {
    Index last_rank = 0;
    for (const double eps : tolerances<T>()) {
      const auto result = cross_approximation<T>(entries, {method, {.relative = eps}});
      ASSERT_TRUE(result.converged);
      EXPECT_GT(result.block.rank, last_rank);
      // What single rows and columns tell is no bound.
      const double factor = method == Cross::aca ? 5 : 2;
      EXPECT_LT(distance(expand(result.block), block), factor * eps * norm_of(block)) << eps;
      last_rank = result.block.rank;

      const auto less = recompress(result.block, {.relative = eps});
      EXPECT_LT(less.rank, result.block.rank);
      EXPECT_LT(distance(expand(less), expand(result.block)), 1.01 * eps * norm_of(block)) << eps;
    }
  }
}

TYPED_TEST(CrossApproximationTest, IsTheSameInEveryUnit) {
  using T = TypeParam;
  const auto block = kernel_block<T>(60, 70);
  constexpr int exponent = std::numeric_limits<RealOf<T>>::max_exponent * 5 / 8;
  for (const Cross method : {Cross::aca, Cross::aca_plus}) {
    const auto expected =
        cross_approximation<T>(DenseEntries<T>{view_of(block, 60)}, {method, {.relative = 1e-4}});
    for (const int power : {-exponent, exponent}) {
      auto scaled = block;
      for (T& value : scaled) value *= std::ldexp(RealOf<T>(1), power);
      auto found = cross_approximation<T>(DenseEntries<T>{view_of(scaled, 60)}, {method, {.relative = 1e-4}});
      EXPECT_TRUE(found.converged);
      EXPECT_EQ(found.block.rank, expected.block.rank);
      EXPECT_EQ(recompress(found.block, {.relative = 1e-4}).rank,
                recompress(expected.block, {.relative = 1e-4}).rank);
      for (T& value : found.block.u) value /= std::ldexp(RealOf<T>(1), power);
      EXPECT_EQ(found.block.u, expected.block.u) << power;
      EXPECT_EQ(found.block.v, expected.block.v) << power;
    }
  }
}

TYPED_TEST(CrossApproximationTest, RecompressedColumnsAreSingularVectors) {
  using T = TypeParam;
  const auto block = kernel_block<T>(60, 70);
  const auto cross =
      cross_approximation<T>(DenseEntries<T>{view_of(block, 60)}, {Cross::aca, {.relative = 1e-4}});
  const auto less = recompress(cross.block, {});
  ASSERT_EQ(less.rank, cross.block.rank);
  testing_support::Largest error;
  double before = HUGE_VAL;
  const auto product = [](const T* x, const T* y, Index size) {
    T sum{};
    for (Index i = 0; i < size; ++i) sum += conjugate(x[i]) * y[i];
    return sum;
  };
  for (Index k = 0; k < less.rank; ++k) {
    const double sigma = std::sqrt(std::abs(product(less.u_column(k), less.u_column(k), 60)));
    EXPECT_LE(sigma, before * 1.0001);
    before = sigma;
    for (Index l = 0; l <= k; ++l)
      error.add(std::abs(product(less.v_column(k), less.v_column(l), 70) - T(k == l ? 1 : 0)));
  }
  EXPECT_LT(error.value(), 100 * double(std::numeric_limits<RealOf<T>>::epsilon()));
}

TYPED_TEST(CrossApproximationTest, AnAbsoluteErrorIsEnough) {
  using T = TypeParam;
  const auto block = kernel_block<T>(80, 80);
  const double allowed = 1e-3 * norm_of(block);
  const auto result =
      cross_approximation<T>(DenseEntries<T>{view_of(block, 80)}, {.accuracy = {.absolute = allowed}});
  ASSERT_TRUE(result.converged);
  EXPECT_LT(distance(expand(result.block), block), allowed);
  EXPECT_LT(result.block.rank, 20);
}

TEST(CrossApproximation, BlocksThatPivotsWouldMiss) {
  // Two blocks on the diagonal: partial pivoting that starts in one never sees the other.
  constexpr Index n = 40;
  std::vector<double> block(usize(n) * usize(n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (i / 20 == j / 20) block[usize(i + j * n)] = 1 + (i / 20);
    }
  }
  const auto result =
      cross_approximation<double>(DenseEntries<double>{view_of(block, n)}, {.accuracy = {.relative = 1e-10}});
  ASSERT_TRUE(result.converged);
  EXPECT_LT(distance(expand(result.block), block), 1e-10 * norm_of(block));
}

// 1 / (x - y), and a kink in a corner of the last rows and the first columns.
TEST(CrossApproximation, ACornerBesideASmoothBlock) {
  constexpr Index n = 100;
  std::vector<double> block(usize(n) * usize(n)), place(usize(n)), reversed(usize(n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) block[usize(i + j * n)] = 100.0 / (n + i - j) + std::max(0, i - j - 85);
  }
  for (Index i = 0; i < n; ++i) place[usize(i)] = reversed[usize(n - 1 - i)] = i;
  const DenseEntries<double> entries{view_of(block, n)};
  for (const Cross method : {Cross::aca, Cross::aca_plus}) {
    const auto result = cross_approximation<double>(entries, {.method = method,
                                                              .accuracy = {.relative = 1e-6},
                                                              .rows = {place, place},
                                                              .columns = {reversed, reversed}});
    ASSERT_TRUE(result.converged);
    EXPECT_LT(distance(expand(result.block), block), 1e-5 * norm_of(block));
  }
}

// |x - y| is of rank two but for a box in a corner, where the points of both sides mix.
TEST(CrossApproximation, AKinkThroughACorner) {
  constexpr Index rows = 150, cols = 130;
  for (const double overlap : {0.07, 0.15, 0.4, 0.8}) {
    std::vector<double> block(usize(rows) * usize(cols));
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i)
        block[usize(j) * usize(rows) + usize(i)] =
            std::abs((i + 0.5) / rows - (1 - overlap + (j + 0.3) / cols));
    for (const Cross method : {Cross::aca, Cross::aca_plus}) {
      const auto result = cross_approximation<double>(DenseEntries<double>{view_of(block, rows)},
                                                      {method, {.relative = 1e-8}});
      if (result.converged)
        EXPECT_LT(distance(expand(result.block), block), 1e-8 * norm_of(block)) << overlap;
      EXPECT_TRUE(result.converged || overlap > 0.2);  // else it is nearly of full rank
    }
  }
}

TEST(CrossApproximation, ZeroAndFullRank) {
  const std::vector<double> zero(300);
  for (const Cross method : {Cross::aca, Cross::aca_plus}) {
    const auto nothing =
        cross_approximation<double>(DenseEntries<double>{view_of(zero, 20)}, {method, {.relative = 1e-3}});
    EXPECT_TRUE(nothing.converged);
    EXPECT_EQ(nothing.block.rank, 0);
    EXPECT_EQ(recompress(nothing.block, {.relative = 1e-3}).rank, 0);
    std::vector<double> noise;
    for (Index i = 0; i < 400; ++i) noise.push_back(pseudo_random(5, i));
    EXPECT_FALSE(
        cross_approximation<double>(DenseEntries<double>{view_of(noise, 20)}, {method, {.relative = 1e-10}})
            .converged);
  }
}

TEST(CrossApproximation, WhatIsNotFiniteIsNotAnApproximation) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    for (const Cross method : {Cross::aca, Cross::aca_plus}) {
      auto block = kernel_block<double>(30, 30);
      std::fill(block.begin(), block.end(), bad);
      EXPECT_FALSE(
          cross_approximation<double>(DenseEntries<double>{view_of(block, 30)}, {method, {.relative = 1e-3}})
              .converged);
    }
  }
}

}  // namespace
}  // namespace trisweep::lowrank
