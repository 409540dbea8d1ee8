#include "gallery/gallery.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "gallery/support.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::gallery {
namespace {

using testing_support::make;
using testing_support::small_n;

bool equal(const matrix::AnyCsr& a, const matrix::AnyCsr& b) {
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
    sizes.push_back({"transport3d", size, n * n * n, 4 * n * n * n - 3 * n * n});
    sizes.push_back(
        {"kkt3d", size, 2 * n * n * n + 6 * n * n, 55 * n * n * n + 6 * n * n - 72 * n + 32 + n * n * n});
    sizes.push_back({"tridiagonal", size, n, 3 * n - 2});
    sizes.push_back({"arrow", size, n, 3 * n - 2});
    sizes.push_back({"block-diagonal", size, 10 * n, 100 * n});
    if (n >= 5) sizes.push_back({"banded", size, n, 11 * n - 30});
    if (n < 10) sizes.push_back({"fusion", size, 96 * n * n, 3456 * (7 * n * n - 8 * n + 2)});
    if (n == 1) continue;
    sizes.push_back({"dirichlet3d", size, n * n * n, n * n * n + 6 * (n - 2) * (n - 2) * (n - 2)});
    sizes.push_back({"elasticity3d", size, 3 * n * n * n, 9 * pairs * pairs * pairs});
    sizes.push_back({"plate", size, 6 * n * n, 36 * pairs * pairs});
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
  for (const Kind& kind : kinds()) {
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

TEST(Gallery, DependsOnTheSeedWherePromisedAndOnNothingElse) {
  for (const Kind& kind : kinds()) {
    const Index n = small_n(kind.name);
    const matrix::AnyCsr a = make_matrix(kind.name, {.n = n, .seed = 7});
    EXPECT_TRUE(equal(a, make_matrix(kind.name, {.n = n, .seed = 7}))) << kind.name;
    EXPECT_EQ(equal(a, make_matrix(kind.name, {.n = n, .seed = 8})), !kind.uses_seed) << kind.name;
  }
}

// The same on every machine: these numbers are in the repository.
TEST(Gallery, RandomMatricesAreReproducible) {
  const auto a = make("random", 4, 42);
  EXPECT_THAT(a.pattern.row_ptr, testing::ElementsAre(0, 2, 6, 8, 10));
  EXPECT_THAT(a.pattern.col, testing::ElementsAre(1, 2, 0, 1, 2, 3, 0, 3, 2, 3));
  EXPECT_DOUBLE_EQ(a.value[0], -0x1.63e8cae041678p-15);
}

std::string message_of(const std::string& kind, const RecipeOptions& options) {
  try {
    make_matrix(kind, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Gallery, NamesTheRangeOfN) {
  for (const Kind& kind : kinds()) {
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
  for (const Kind& kind : kinds()) EXPECT_THAT(message, testing::HasSubstr(kind.name));
}

TEST(Gallery, RefusesAComplexVariantThatDoesNotExist) {
  EXPECT_THAT(message_of("poisson3d", {.n = 3, .complex = true}), testing::HasSubstr("complex"));
}

}  // namespace
}  // namespace trisweep::gallery
