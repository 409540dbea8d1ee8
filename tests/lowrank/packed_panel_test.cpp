#include "trisweep/lowrank/packed_panel.hpp"

#include <gtest/gtest.h>

#include "lowrank/support.hpp"
#include "support/every_isa.hpp"
#include "support/scalars.hpp"
#include "trisweep/lowrank/cross_approximation.hpp"
#include "trisweep/lowrank/panel_products.hpp"
#include "trisweep/lowrank/recompress.hpp"

namespace trisweep::lowrank {
namespace {

template <class T>
class PackedPanelTest : public testing::Test {};
TYPED_TEST_SUITE(PackedPanelTest, testing_support::Scalars);

template <Scalar T, class Visit>
void for_each_set(const Visit& visit) {
#define TRISWEEP_VISIT(isa) TRISWEEP_VISIT_ISA(isa, visit, products_of_panels<T>())
  TRISWEEP_FOR_EACH_ISA(TRISWEEP_VISIT)
#undef TRISWEEP_VISIT
}

// The numbers that a panel stands for: its products with unit vectors.
template <Scalar T>
std::vector<T> numbers_of(const std::vector<std::byte>& panel, Index rows, Index cols,
                          const PanelProducts<T>& products) {
  std::vector<T> numbers(usize(rows) * usize(cols)), unit(usize(cols) * usize(cols));
  for (Index c = 0; c < cols; ++c) unit[usize(c) * usize(cols + 1)] = T(1);
  products.add({panel.data(), 0, rows, unit.data(), cols, numbers.data(), rows, cols});
  return numbers;
}

TYPED_TEST(PackedPanelTest, ColumnsAreOffByNoMoreThanAllowed) {
  using T = TypeParam;
  constexpr Index rows = 37, cols = 7;
  const auto block = kernel_block<T>(rows, cols);
  std::vector<double> allowed;
  for (const double share : {1e-2, 1e-2, 1e-4, 1e-6, 1e-9, 1e-13, 0.0}) allowed.push_back(share);
  std::vector<std::byte> bytes, full;
  pack_columns(view_of(block, rows), allowed, Precision::adaptive, bytes);
  pack_columns(view_of(block, rows), allowed, Precision::full, full);
  EXPECT_LT(bytes.size(), full.size());
  EXPECT_EQ(bytes.size() % 8, 0u);
  for_each_set<T>([&](const char* isa, const PanelProducts<T>& products) {
    const auto numbers = numbers_of(bytes, rows, cols, products);
    for (Index c = 0; c < cols; ++c) {
      const auto column = [&](const std::vector<T>& of) {
        return std::vector<T>(of.begin() + c * rows, of.begin() + (c + 1) * rows);
      };
      // What a product rounds comes on top.
      const double rounding = 2 * double(std::numeric_limits<RealOf<T>>::epsilon()) * norm_of(column(block));
      EXPECT_LE(distance(column(numbers), column(block)), allowed[usize(c)] + rounding) << isa << " " << c;
    }
    EXPECT_EQ(numbers_of(full, rows, cols, products), block) << isa;
  });
}

TYPED_TEST(PackedPanelTest, BlocksAreOffByNoMoreThanAllowed) {
  using T = TypeParam;
  constexpr Index rows = 15, cols = 11;
  const auto block = kernel_block<T>(rows, cols);
  std::size_t before = 0;
  for (const double eps : {1e-1, 1e-3, 1e-6, 1e-8, 1e-12, 0.0}) {
    std::vector<std::byte> bytes;
    pack_block(view_of(block, rows), eps * norm_of(block), Precision::adaptive, bytes);
    EXPECT_GE(bytes.size(), before);
    before = bytes.size();
    const auto numbers = numbers_of(bytes, rows, cols, panel_products<T>());
    const double rounding = 2 * double(std::numeric_limits<RealOf<T>>::epsilon());
    EXPECT_LE(distance(numbers, block), (eps + rounding) * norm_of(block)) << eps;
  }
  EXPECT_GE(before, sizeof(T) * block.size());
}

// A product with rows [first, first + count) of the panel, both ways, beside the numbers themselves.
template <Scalar T>
void expect_products(const std::vector<std::byte>& bytes, Index rows, Index cols, Index first, Index count) {
  constexpr Index nrhs = 3;
  std::vector<T> x, y;
  for (Index i = 0; i < cols * nrhs; ++i) x.push_back(T(pseudo_random(3, i) - 0.5));
  for (Index i = 0; i < count * nrhs; ++i) y.push_back(T(pseudo_random(4, i) - 0.5));
  for_each_set<T>([&](const char* isa, const PanelProducts<T>& products) {
    const auto numbers = numbers_of(bytes, rows, cols, products);
    auto added = y, expected = y;
    products.add({bytes.data(), first, count, x.data(), cols, added.data(), count, nrhs});
    auto turned = x, expected_turned = x;
    products.add_transposed({bytes.data(), first, count, y.data(), count, turned.data(), cols, nrhs});
    for (Index k = 0; k < nrhs; ++k) {
      for (Index c = 0; c < cols; ++c) {
        for (Index i = 0; i < count; ++i) {
          const T number = numbers[usize(first + i) + usize(c) * usize(rows)];
          expected[usize(i + k * count)] += number * x[usize(c + k * cols)];
          expected_turned[usize(c + k * cols)] += number * y[usize(i + k * count)];
        }
      }
    }
    const double tolerance = 200 * double(std::numeric_limits<RealOf<T>>::epsilon());
    EXPECT_LT(testing_support::largest_difference(added, expected), tolerance) << isa;
    EXPECT_LT(testing_support::largest_difference(turned, expected_turned), tolerance) << isa;
  });
}

TYPED_TEST(PackedPanelTest, ProductsOfAnyRows) {
  using T = TypeParam;
  constexpr Index rows = 53, cols = 6;
  const auto block = kernel_block<T>(rows, cols);
  std::vector<std::byte> bytes;
  pack_columns(view_of(block, rows), std::vector<double>{1e-2, 1e-2, 1e-4, 1e-6, 1e-9, 0},
               Precision::adaptive, bytes);
  expect_products<T>(bytes, rows, cols, 0, rows);
  expect_products<T>(bytes, rows, cols, 5, 40);
  expect_products<T>(bytes, rows, cols, 52, 1);
}

TYPED_TEST(PackedPanelTest, RowsSumTheSameInWhateverCompany) {
  using T = TypeParam;
  constexpr Index rows = 61, cols = 5;
  const auto block = kernel_block<T>(rows, cols);
  std::vector<std::byte> bytes;
  pack_columns(view_of(block, rows), std::vector<double>{1e-2, 1e-3, 1e-5, 1e-9, 0}, Precision::adaptive,
               bytes);
  const auto x = kernel_block<T>(cols, 1);
  for_each_set<T>([&](const char* isa, const PanelProducts<T>& products) {
    std::vector<T> whole(rows), parts(rows);
    products.add({bytes.data(), 0, rows, x.data(), cols, whole.data(), rows, 1});
    for (Index first = 0, count = 1; first < rows; first += count, ++count) {
      count = std::min(count, rows - first);
      products.add({bytes.data(), first, count, x.data(), cols, parts.data() + first, rows, 1});
    }
    EXPECT_EQ(whole, parts) << isa;
  });
}

TYPED_TEST(PackedPanelTest, LowRankBlocksShareTheirError) {
  using T = TypeParam;
  constexpr Index rows = 90, cols = 110;
  const auto block = kernel_block<T>(rows, cols);
  const double eps = std::same_as<RealOf<T>, float> ? 1e-3 : 1e-7;
  const auto less = recompress(
      cross_approximation<T>(DenseEntries<T>{view_of(block, rows)}, {.accuracy = {.relative = eps / 10}})
          .block,
      {.relative = eps / 10});
  const double allowed = eps * norm_of(block);
  const auto errors = share_error(less, allowed);
  std::vector<std::byte> u, v, full;
  pack_columns(view_of(less.u, rows), errors.u, Precision::adaptive, u);
  pack_columns(view_of(less.v, cols), errors.v, Precision::adaptive, v);
  pack_columns(view_of(less.v, cols), errors.v, Precision::full, full);
  EXPECT_LT(v.size(), full.size());
  const auto packed =
      expand(LowRank<T>{rows, cols, less.rank, numbers_of(u, rows, less.rank, panel_products<T>()),
                        numbers_of(v, cols, less.rank, panel_products<T>())});
  EXPECT_LT(distance(packed, expand(less)), 1.01 * allowed);
}

TEST(PackedPanel, ZerosTinyAndHugeNumbers) {
  for (const double size : {0.0, 1e-320, 1e-200, 1e300}) {
    std::vector<double> block = kernel_block<double>(20, 4);
    for (double& value : block) value *= size;
    std::vector<std::byte> bytes;
    const double allowed = 1e-3 * size;
    pack_columns(view_of(block, 20), std::vector<double>(4, allowed), Precision::adaptive, bytes);
    EXPECT_LE(testing_support::largest_difference(numbers_of(bytes, 20, 4, panel_products<double>()), block),
              allowed);
  }
}

}  // namespace
}  // namespace trisweep::lowrank
