#include "trisweep/matrix/gallery.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::matrix {
namespace {

using Complex = std::complex<double>;

template <Scalar T = double>
Csr<T> make(const std::string& kind, Index n, std::uint64_t seed = 1) {
  return std::get<Csr<T>>(gallery(kind, {.n = n, .seed = seed, .complex = is_complex<T>}));
}

template <Scalar T>
Dense<T> dense(const Csr<T>& a) {
  Dense<T> d{a.rows(), a.cols(), std::vector<T>(usize(a.rows()) * usize(a.cols()))};
  for (Index i = 0; i < a.rows(); ++i) {
    for (Offset k = a.pattern.row_ptr[usize(i)]; k < a.pattern.row_ptr[usize(i) + 1]; ++k) {
      d.value[usize(i + Offset{a.pattern.col[usize(k)]} * a.rows())] = a.value[usize(k)];
    }
  }
  return d;
}

// Solves A x = A (1, ..., 1) by Gaussian elimination with partial pivoting; returns the largest error of x.
template <Scalar T>
double error_of_dense_solve(Dense<T> a) {
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
  double error = 0;
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= at(k, j) * x[j];
    x[k] /= at(k, k);
    const double here = std::abs(x[k] - T{1});
    error = here <= error ? error : here;  // keeps a NaN
  }
  return error;
}

// Negative pivots of LDL^T without pivoting: by Sylvester's law the number of negative eigenvalues, for
// matrices whose leading blocks are nonsingular.
Index negative_pivots(Dense<double> a) {
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

// A size of each kind that is small enough for dense algebra.
Index small_n(const std::string& kind) {
  static const std::map<std::string, Index> sizes{{"s2d9", 12},          {"cage", 7},    {"fusion", 2},
                                                  {"random", 300},       {"graph", 300}, {"graph-road", 300},
                                                  {"dense-blocks3d", 7}, {"kkt3d", 5}};
  const auto found = sizes.find(kind);
  return found == sizes.end() ? 6 : found->second;
}

bool equal(const AnyCsr& a, const AnyCsr& b) {
  return std::visit(
      [&](const auto& x) {
        const auto& y = std::get<std::decay_t<decltype(x)>>(b);
        return x.pattern.row_ptr == y.pattern.row_ptr && x.pattern.col == y.pattern.col && x.value == y.value;
      },
      a);
}

struct Size {
  std::string kind;
  Index n;
  Offset rows;
  Offset nonzeros;
};

// n and nnz by the formulas of docs/gallery.md.
std::vector<Size> sizes_by_formula() {
  std::vector<Size> sizes;
  for (const Offset n : {1, 2, 3, 4, 7, 20}) {
    const Index size = static_cast<Index>(n);
    const Offset pairs = 3 * n - 2;
    sizes.push_back({"s2d9", size, n * n, pairs * pairs});
    sizes.push_back({"poisson3d", size, n * n * n, 7 * n * n * n - 6 * n * n});
    sizes.push_back({"convection3d", size, n * n * n, 7 * n * n * n - 6 * n * n});
    sizes.push_back(
        {"kkt3d", size, 2 * n * n * n + 6 * n * n, 55 * n * n * n + 6 * n * n - 72 * n + 32 + n * n * n});
    if (n < 10) sizes.push_back({"fusion", size, 96 * n * n, 3456 * (7 * n * n - 8 * n + 2)});
    if (n == 1) continue;
    sizes.push_back({"elasticity3d", size, 3 * n * n * n, 9 * pairs * pairs * pairs});
    sizes.push_back({"maxwell3d", size, 3 * n * (n - 1) * (n - 1),
                     3 * n * (3 * n - 5) * (3 * n - 5) + 24 * (n - 1) * (n - 1) * (3 * n - 5)});
  }
  return sizes;
}

TEST(Gallery, HasTheSizesOfTheFormulas) {
  for (const auto& [kind, n, rows, nonzeros] : sizes_by_formula()) {
    const auto a = make(kind, n);
    EXPECT_EQ(a.rows(), rows) << kind << ' ' << n;
    EXPECT_EQ(a.nonzeros(), nonzeros) << kind << ' ' << n;
  }
}

TEST(Gallery, HasWellFormedRows) {
  for (const GalleryKind& kind : gallery_kinds()) {
    const auto a = make(kind.name, small_n(kind.name));
    EXPECT_EQ(a.rows(), a.cols());
    ASSERT_EQ(a.pattern.row_ptr.size(), usize(a.rows()) + 1);
    ASSERT_EQ(a.pattern.col.size(), usize(a.nonzeros()));
    ASSERT_EQ(a.value.size(), usize(a.nonzeros()));
    for (Index i = 0; i < a.rows(); ++i) {
      const auto row = a.pattern.row(i);
      ASSERT_FALSE(row.empty());
      EXPECT_TRUE(std::ranges::is_sorted(row, std::ranges::less_equal{})) << kind.name << " row " << i;
      EXPECT_TRUE(row.front() >= 0 && row.back() < a.cols());
    }
  }
}

TEST(Gallery, StoresZerosOnlyOnTheDiagonalOfTheKktMatrixsLowerBlock) {
  for (const GalleryKind& kind : gallery_kinds()) {
    const Index n = small_n(kind.name);
    EXPECT_EQ(std::ranges::count(make(kind.name, n).value, 0.0), kind.name == "kkt3d" ? n * n * n : 0)
        << kind.name;
  }
}

TEST(Gallery, IsSymmetricWherePromised) {
  const std::vector<std::string> symmetric{"s2d9",      "poisson3d", "elasticity3d",
                                           "maxwell3d", "kkt3d",     "dense-blocks3d"};
  for (const GalleryKind& kind : gallery_kinds()) {
    const bool promised = std::ranges::count(symmetric, kind.name) > 0;
    EXPECT_EQ(is_symmetric(make(kind.name, small_n(kind.name)), false), promised) << kind.name;
  }
  EXPECT_TRUE(is_symmetric(make<Complex>("maxwell3d", 4), false));
  EXPECT_FALSE(is_symmetric(make<Complex>("maxwell3d", 4), true));
}

TEST(Gallery, IsPositiveDefiniteWherePromised) {
  for (const std::string kind : {"s2d9", "poisson3d", "elasticity3d", "dense-blocks3d"}) {
    for (const Index n : {2, 3, small_n(kind)}) {
      EXPECT_EQ(negative_pivots(dense(make(kind, n))), 0) << kind << ' ' << n;
    }
  }
}

TEST(Gallery, KktMatrixHasOneNegativeEigenvaluePerConstraint) {
  EXPECT_EQ(negative_pivots(dense(make("kkt3d", 4))), 64);
}

TEST(Gallery, MaxwellMatrixIsIndefinite) {
  // All gradients of the 27 inner nodes, and the five cavity modes below k^2: (0,1,1), its two rotations,
  // (1,1,1) twice.
  EXPECT_EQ(negative_pivots(dense(make("maxwell3d", 4))), 27 + 5);
}

TEST(Gallery, IsNonsingular) {
  for (const GalleryKind& kind : gallery_kinds()) {
    if (kind.name == "random") continue;  // needs scaling first, see below
    for (const Index n : {std::max(kind.min_n, 4), small_n(kind.name)}) {
      EXPECT_LT(error_of_dense_solve(dense(make(kind.name, n))), 1e-9) << kind.name << ' ' << n;
    }
  }
  EXPECT_LT(error_of_dense_solve(dense(make<Complex>("maxwell3d", 5))), 1e-9);
}

// Divides rows and columns by the square roots of their largest entries, repeatedly [Ruiz 2001].
void equilibrate(Dense<double>& a) {
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

TEST(Gallery, RandomIsBadlyScaledWithAHiddenTransversal) {
  const auto a = make("random", 300);
  const auto [smallest, largest] =
      std::ranges::minmax_element(a.value, {}, [](double v) { return std::abs(v); });
  EXPECT_GT(std::abs(*largest) / std::abs(*smallest), 1e18);
  Dense<double> d = dense(a);
  Index on_diagonal = 0;
  for (std::size_t i = 0; i < 300; ++i) on_diagonal += d.value[i + i * 300] != 0;
  EXPECT_LT(on_diagonal, 20);
  equilibrate(d);
  EXPECT_LT(error_of_dense_solve(d), 1e-9);
}

TEST(Gallery, GraphsAreLowerTriangularAndWellConditioned) {
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

Index levels(const Pattern& lower) {
  std::vector<Index> level(usize(lower.rows), 1);
  for (Index i = 0; i < lower.rows; ++i) {
    for (const Index j : lower.row(i)) {
      if (j < i) level[usize(i)] = std::max(level[usize(i)], level[usize(j)] + 1);
    }
  }
  return std::ranges::max(level);
}

TEST(Gallery, RoadsAreLongAndPowerLawGraphsHaveHubs) {
  const auto web = make("graph", 50000), road = make("graph-road", 50000);
  EXPECT_LT(levels(web.pattern), 100);
  EXPECT_GT(levels(road.pattern), 150);
  EXPECT_LT(road.nonzeros(), 3 * road.rows());
  Offset longest = 0;
  for (Index i = 0; i < web.rows(); ++i) longest = std::max<Offset>(longest, std::ssize(web.pattern.row(i)));
  EXPECT_GT(longest, 30 * web.nonzeros() / web.rows());
}

TEST(Gallery, DependsOnTheSeedWherePromisedAndOnNothingElse) {
  for (const GalleryKind& kind : gallery_kinds()) {
    const Index n = small_n(kind.name);
    const AnyCsr a = gallery(kind.name, {.n = n, .seed = 7});
    EXPECT_TRUE(equal(a, gallery(kind.name, {.n = n, .seed = 7}))) << kind.name;
    EXPECT_EQ(equal(a, gallery(kind.name, {.n = n, .seed = 8})), !kind.uses_seed) << kind.name;
  }
}

// The same on every machine: these numbers are in the repository.
TEST(Gallery, RandomMatricesAreReproducible) {
  const auto a = make("random", 4, 42);
  EXPECT_THAT(a.pattern.row_ptr, testing::ElementsAre(0, 2, 6, 8, 10));
  EXPECT_THAT(a.pattern.col, testing::ElementsAre(1, 2, 0, 1, 2, 3, 0, 3, 2, 3));
  EXPECT_DOUBLE_EQ(a.value[0], -0x1.63e8cae041678p-15);
}

std::string message_of(const std::string& kind, const GalleryOptions& options) {
  try {
    gallery(kind, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Gallery, NamesTheRangeOfN) {
  for (const GalleryKind& kind : gallery_kinds()) {
    const auto range = "from " + std::to_string(kind.min_n) + " to " + std::to_string(kind.max_n);
    EXPECT_THAT(message_of(kind.name, {.n = kind.min_n - 1}), testing::HasSubstr(range));
    EXPECT_THAT(message_of(kind.name, {.n = -5}), testing::HasSubstr(kind.name));
    if (kind.max_n < std::numeric_limits<Index>::max()) {
      EXPECT_THAT(message_of(kind.name, {.n = kind.max_n + 1}), testing::HasSubstr(range));
    }
    EXPECT_EQ(make(kind.name, kind.min_n).rows() > 0, true) << kind.name;
  }
}

TEST(Gallery, NamesTheKnownKinds) {
  const std::string message = message_of("poisson", {});
  EXPECT_THAT(message, testing::HasSubstr("'poisson'"));
  for (const GalleryKind& kind : gallery_kinds()) EXPECT_THAT(message, testing::HasSubstr(kind.name));
}

TEST(Gallery, RefusesAComplexVariantThatDoesNotExist) {
  EXPECT_THAT(message_of("poisson3d", {.n = 3, .complex = true}), testing::HasSubstr("complex"));
}

}  // namespace
}  // namespace trisweep::matrix
