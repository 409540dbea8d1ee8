#include "trisweep/kernels/panel_product.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/random_matrix.hpp"

namespace trisweep::kernels {
namespace {

using testing_support::random_vector;

template <class T>
class PanelProductTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PanelProductTest, Scalars);

struct Shape {
  Index height, width, nrhs;
  Index padding = 0;  // rows of other strips below each column

  Index ld() const { return height + padding; }
};
const std::vector<Shape> shapes = {{0, 3, 1},  {1, 1, 1},  {5, 4, 1},    {23, 9, 1},   {8, 16, 1},  {1, 1, 3},
                                   {13, 6, 7}, {9, 1, 50}, {7, 9, 1, 5}, {7, 9, 3, 5}, {1, 4, 2, 1}};

// A work vector with the panel's own rows first and the rows it is joined to after them, in reverse.
template <Scalar T>
struct Sample {
  explicit Sample(const Shape& s)
      : shape(s),
        panel(random_vector<T>(usize(s.ld()) * usize(s.width), 1)),
        work(random_vector<T>(usize(s.height + s.width) * usize(s.nrhs), 2)),
        scratch(usize(std::max(s.height, s.width)) * usize(s.nrhs)) {
    for (Index i = s.height; i-- > 0;) position.push_back(s.width + i);
  }
  T entry(Index i, Index j, bool conjugated) const {
    const T v = panel[usize(i) + usize(j) * usize(shape.ld())];
    return conjugated ? conjugate(v) : v;
  }
  T& at(std::vector<T>& rows, Index row, Index r) const {
    return rows[usize(row) * usize(shape.nrhs) + usize(r)];
  }
  Panel<T> view(bool conjugated) const {
    return {panel.data(), position.data(), shape.height, shape.width, shape.ld(), conjugated};
  }
  Work<T> work_view() { return {work.data(), scratch.data(), shape.nrhs}; }

  Shape shape;
  std::vector<T> panel;
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
  for (const Shape& shape : shapes) {
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
      scatter_product(sample.view(conjugated), 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

TYPED_TEST(PanelProductTest, GatherSubtractsTheTransposedPanelTimesItsRows) {
  using T = TypeParam;
  for (const Shape& shape : shapes) {
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
      gather_product(sample.view(conjugated), 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

TYPED_TEST(PanelProductTest, DiagonalAppliesEveryOp) {
  using T = TypeParam;
  for (const Shape& shape : {Shape{1, 1, 1}, {6, 6, 1}, {13, 13, 1}, {6, 6, 4}, {1, 1, 9}}) {
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
      diagonal_product(sample.panel.data(), shape.width, op, 0, sample.work_view());
      expect_close(sample.work, expected);
    }
  }
}

}  // namespace
}  // namespace trisweep::kernels
