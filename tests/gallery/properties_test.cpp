#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "gallery/gallery.hpp"
#include "gallery/support.hpp"
#include "support/largest.hpp"

namespace trisweep::gallery {
namespace {

using Complex = std::complex<double>;
using testing_support::make;
using testing_support::small_n;

template <Scalar T>
matrix::Dense<T> dense(const matrix::Csr<T>& a) {
  matrix::Dense<T> d{a.rows(), a.cols(), std::vector<T>(usize(a.rows()) * usize(a.cols()))};
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset k : a.pattern.entries(i)) {
      d.value[usize(i + Offset{a.pattern.col[usize(k)]} * a.rows())] = a.value[usize(k)];
    }
  }
  return d;
}

// Solves A x = A (1, ..., 1) by Gaussian elimination with partial pivoting; returns the largest error of x.
template <Scalar T>
double error_of_dense_solve(matrix::Dense<T> a) {
  const std::size_t n = usize(a.rows);
  const auto at = [&](std::size_t i, std::size_t j) -> T& { return a.value[i + j * n]; };
  std::vector<T> x(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) x[i] += at(i, j);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) pivot = std::abs(at(i, k)) > std::abs(at(pivot, k)) ? i : pivot;
    for (std::size_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
    std::swap(x[k], x[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (std::size_t j = k + 1; j < n; ++j) {
      for (std::size_t i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= at(i, k) * x[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= at(k, j) * x[j];
    x[k] /= at(k, k);
  }
  return trisweep::testing_support::largest_difference(x, std::vector<T>(n, T{1}));
}

// Negative pivots of LDL^T without pivoting: by Sylvester's law the number of negative eigenvalues, for
// matrices whose leading blocks are nonsingular.
Index negative_pivots(matrix::Dense<double> a) {
  const std::size_t n = usize(a.rows);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return a.value[i + j * n]; };
  Index negative = 0;
  for (std::size_t k = 0; k < n; ++k) {
    negative += at(k, k) < 0;
    EXPECT_GT(std::abs(at(k, k)), 1e-10);
    for (std::size_t j = k + 1; j < n; ++j) {
      const double factor = at(j, k) / at(k, k);
      for (std::size_t i = j; i < n; ++i) at(i, j) -= at(i, k) * factor;
    }
  }
  return negative;
}

TEST(GalleryMatrices, StoresZerosOnlyOnTheDiagonalOfTheKktMatrixsLowerBlock) {
  for (const Kind& kind : kinds()) {
    const Index n = small_n(kind.name);
    EXPECT_EQ(std::ranges::count(make(kind.name, n).value, 0.0), kind.name == "kkt3d" ? n * n * n : 0)
        << kind.name;
  }
}

TEST(GalleryMatrices, IsSymmetricWherePromised) {
  const std::vector<std::string> symmetric{"s2d9",  "poisson3d",      "elasticity3d", "maxwell3d",
                                           "kkt3d", "dense-blocks3d", "tridiagonal",  "plate"};
  for (const Kind& kind : kinds()) {
    const bool promised = std::ranges::count(symmetric, kind.name) > 0;
    EXPECT_EQ(is_symmetric(make(kind.name, small_n(kind.name)), false), promised) << kind.name;
  }
  EXPECT_TRUE(is_symmetric(make<Complex>("maxwell3d", 4), false));
  EXPECT_FALSE(is_symmetric(make<Complex>("maxwell3d", 4), true));
}

TEST(GalleryMatrices, IsPositiveDefiniteWherePromised) {
  for (const std::string kind :
       {"s2d9", "poisson3d", "elasticity3d", "plate", "dense-blocks3d", "tridiagonal"}) {
    for (const Index n : {2, 3, small_n(kind)}) {
      EXPECT_EQ(negative_pivots(dense(make(kind, n))), 0) << kind << ' ' << n;
    }
  }
}

TEST(GalleryMatrices, KktMatrixHasOneNegativeEigenvaluePerConstraint) {
  EXPECT_EQ(negative_pivots(dense(make("kkt3d", 4))), 64);
}

TEST(GalleryMatrices, MaxwellMatrixIsIndefinite) {
  // All gradients of the 27 inner nodes, and the five cavity modes below k^2: (0,1,1), its two rotations,
  // (1,1,1) twice.
  EXPECT_EQ(negative_pivots(dense(make("maxwell3d", 4))), 27 + 5);
}

TEST(GalleryMatrices, IsNonsingular) {
  for (const Kind& kind : kinds()) {
    if (kind.name == "random") continue;  // needs scaling first, see below
    for (const Index n : {std::max(kind.min_n, 4), small_n(kind.name)}) {
      EXPECT_LT(error_of_dense_solve(dense(make(kind.name, n))), 1e-9) << kind.name << ' ' << n;
    }
  }
  EXPECT_LT(error_of_dense_solve(dense(make<Complex>("maxwell3d", 5))), 1e-9);
}

// Divides rows and columns by the square roots of their largest entries, repeatedly [Ruiz 2001].
void equilibrate(matrix::Dense<double>& a) {
  const std::size_t n = usize(a.rows);
  for (int sweep = 0; sweep < 60; ++sweep) {
    std::vector<double> row(n), col(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        row[i] = std::max(row[i], std::abs(a.value[i + j * n]));
        col[j] = std::max(col[j], std::abs(a.value[i + j * n]));
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) a.value[i + j * n] /= std::sqrt(row[i] * col[j]);
    }
  }
}

TEST(GalleryMatrices, RandomIsBadlyScaledWithAHiddenTransversal) {
  const auto a = make("random", 300);
  const auto [smallest, largest] =
      std::ranges::minmax_element(a.value, {}, [](double v) { return std::abs(v); });
  EXPECT_GT(std::abs(*largest) / std::abs(*smallest), 1e18);
  matrix::Dense<double> d = dense(a);
  Index on_diagonal = 0;
  for (std::size_t i = 0; i < 300; ++i) on_diagonal += d.value[i + i * 300] != 0;
  EXPECT_LT(on_diagonal, 20);
  equilibrate(d);
  EXPECT_LT(error_of_dense_solve(d), 1e-9);
}

TEST(GalleryMatrices, GraphsAreLowerTriangularAndWellConditioned) {
  for (const std::string kind : {"graph", "graph-road"}) {
    const auto a = make(kind, 2000);
    for (Index i = 0; i < a.rows(); ++i) {
      const Offset last = a.pattern.row_ptr[usize(i) + 1] - 1;
      ASSERT_EQ(a.pattern.row(i).back(), i);
      double off_diagonal = 0;
      for (Offset k = a.pattern.row_ptr[usize(i)]; k < last; ++k) off_diagonal += std::abs(a.value[usize(k)]);
      EXPECT_GE(a.value[usize(last)], 1);
      EXPECT_LT(off_diagonal, 0.9);
    }
  }
}

TEST(GalleryMatrices, ArrowPointsToTheFirstUnknownAndBlocksAreApart) {
  const auto a = make("arrow", 50), d = make("block-diagonal", 3);
  EXPECT_EQ(std::ssize(a.pattern.row(0)), 50);
  for (Index i = 1; i < 50; ++i) EXPECT_THAT(a.pattern.row(i), testing::ElementsAre(0, i));
  for (Index i = 0; i < 30; ++i) {
    EXPECT_EQ(d.pattern.row(i).front(), i / 10 * 10);
    EXPECT_EQ(d.pattern.row(i).back(), i / 10 * 10 + 9);
  }
}

Index levels(const matrix::Pattern& lower) {
  std::vector<Index> level(usize(lower.rows), 1);
  for (Index i = 0; i < lower.rows; ++i) {
    for (const Index j : lower.row(i)) {
      if (j < i) level[usize(i)] = std::max(level[usize(i)], level[usize(j)] + 1);
    }
  }
  return std::ranges::max(level);
}

TEST(GalleryMatrices, RoadsAreLongAndPowerLawGraphsHaveHubs) {
  const auto web = make("graph", 50000), road = make("graph-road", 50000);
  EXPECT_LT(levels(web.pattern), 100);
  EXPECT_GT(levels(road.pattern), 150);
  EXPECT_LT(road.nonzeros(), 3 * road.rows());
  Offset longest = 0;
  for (Index i = 0; i < web.rows(); ++i) longest = std::max<Offset>(longest, std::ssize(web.pattern.row(i)));
  EXPECT_GT(longest, 30 * web.nonzeros() / web.rows());
}

}  // namespace
}  // namespace trisweep::gallery
