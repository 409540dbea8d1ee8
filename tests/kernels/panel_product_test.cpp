#include "trisweep/kernels/panel_product.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "kernels/every_isa.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::kernels {
namespace {

using testing_support::random_vector;

template <class T>
class PanelProductTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PanelProductTest, Scalars);

struct Shape {
  Index height, width, nrhs;
  Index begin = 0;  // rows of other strips, above
  Index below = 0;

  Index panel_height() const { return begin + height + below; }
};

// Within a slab and over several, a strip of each, and every way to cover the right-hand sides.
std::vector<Shape> shapes() {
  std::vector<Shape> list = {{0, 3, 1}, {1, 1, 1}, {1, 1, 3}, {9, 1, 50}, {64, 8, 50}};
  for (const Index nrhs : {1, 2, 3, 4, 5, 7, 8, 16, 23, 50}) {
    list.push_back({13, 6, nrhs});
    list.push_back({32, 17, nrhs});
    list.push_back({77, 9, nrhs});
    list.push_back({7, 9, nrhs, 3, 5});
    list.push_back({40, 5, nrhs, 30, 31});
  }
  return list;
}

// A work vector with the panel's own rows first and the rows it is joined to after them, in reverse.
template <Scalar T>
struct Sample {
  explicit Sample(const Shape& s)
      : shape(s),
        entries(random_vector<T>(usize(s.panel_height()) * usize(s.width), 1)),
        panel(entries.size(), "a panel"),
        work(random_vector<T>(usize(s.height + s.width) * usize(s.nrhs), 2)),
        scratch(scratch_size(s.width, s.nrhs)) {
    std::ranges::copy(entries, panel.data());
    std::vector<T> room(entries.size());
    cut_into_slabs(panel.data(), s.panel_height(), s.width, room.data());
    for (Index i = s.height; i-- > 0;) position.push_back(s.width + i);
  }
  T entry(Index i, Index j, bool conjugated) const {
    const T v = entries[usize(shape.begin + i) + usize(j) * usize(shape.panel_height())];
    return conjugated ? conjugate(v) : v;
  }
  T& at(std::vector<T>& rows, Index row, Index r) const {
    return rows[usize(row) * usize(shape.nrhs) + usize(r)];
  }
  Panel<T> view(bool conjugated) const {
    return {.value = panel.data(),
            .position = position.data(),
            .height = shape.panel_height(),
            .width = shape.width,
            .begin = shape.begin,
            .end = shape.begin + shape.height,
            .conjugate = conjugated};
  }
  Work<T> work_view() { return {work.data(), scratch.data(), shape.nrhs}; }

  Shape shape;
  std::vector<T> entries;  // column-major
  Buffer<T> panel;
  std::vector<T> work;
  std::vector<T> scratch;
  std::vector<Index> position;
};

template <Scalar T>
void expect_close(const std::vector<T>& result, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    EXPECT_LE(std::abs(result[i] - expected[i]), 300 * std::numeric_limits<RealOf<T>>::epsilon()) << i;
  }
}

TYPED_TEST(PanelProductTest, ScatterSubtractsThePanelTimesItsSource) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const bool conjugated : {false, true}) {
      Sample<T> sample(shape);
      auto expected = sample.work;
      for (Index i = 0; i < shape.height; ++i) {
        for (Index j = 0; j < shape.width; ++j) {
          for (Index r = 0; r < shape.nrhs; ++r) {
            sample.at(expected, sample.position[usize(i)], r) -=
                sample.entry(i, j, conjugated) * sample.at(sample.work, j, r);
          }
        }
      }
      const auto panel = sample.view(conjugated);
      for_each_isa<T>([&](const char* isa, const Products<T>& products) {
        SCOPED_TRACE(isa);
        auto work = sample.work;
        products.scatter({panel, work.data(), work.data(), sample.scratch.data(), shape.nrhs});
        expect_close(work, expected);
      });
      scatter_product(panel, 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

TYPED_TEST(PanelProductTest, GatherSubtractsTheTransposedPanelTimesItsRows) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const bool conjugated : {false, true}) {
      Sample<T> sample(shape);
      auto expected = sample.work;
      for (Index i = 0; i < shape.height; ++i) {
        for (Index j = 0; j < shape.width; ++j) {
          for (Index r = 0; r < shape.nrhs; ++r) {
            sample.at(expected, j, r) -=
                sample.entry(i, j, conjugated) * sample.at(sample.work, sample.position[usize(i)], r);
          }
        }
      }
      const auto panel = sample.view(conjugated);
      for_each_isa<T>([&](const char* isa, const Products<T>& products) {
        SCOPED_TRACE(isa);
        auto work = sample.work;
        products.gather({panel, work.data(), work.data(), sample.scratch.data(), shape.nrhs});
        expect_close(work, expected);
      });
      gather_product(panel, 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

TYPED_TEST(PanelProductTest, DiagonalAppliesEveryOp) {
  using T = TypeParam;
  for (const Shape& shape :
       {Shape{1, 1, 1}, {6, 6, 1}, {13, 13, 1}, {45, 45, 1}, {6, 6, 4}, {45, 45, 6}, {1, 1, 9}}) {
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      Sample<T> sample(shape);
      std::vector<T> expected(sample.work);
      for (Index i = 0; i < shape.width; ++i) {
        for (Index r = 0; r < shape.nrhs; ++r) {
          T sum{};
          for (Index j = 0; j < shape.width; ++j) {
            const T d = op == Op::none ? sample.entry(i, j, false)
                                       : sample.entry(j, i, op == Op::conjugate_transpose);
            sum += d * sample.at(sample.work, j, r);
          }
          sample.at(expected, i, r) = sum;
        }
      }
      std::iota(sample.position.begin(), sample.position.end(), 0);
      const std::vector<T> before = sample.work;
      for_each_isa<T>([&](const char* isa, const Products<T>& products) {
        SCOPED_TRACE(isa);
        sample.work = before;
        diagonal_product_by(products, sample.view(false), op, 0, sample.work_view());
        expect_close(sample.work, expected);
      });
      sample.work = before;
      diagonal_product(sample.view(false), op, 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

}  // namespace
}  // namespace trisweep::kernels
