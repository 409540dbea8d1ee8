#include <gtest/gtest.h>

#include "trisweep/hmatrix/integral_kernel.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"

namespace trisweep::hmatrix {
namespace {

TEST(IntegralKernel, RowsAndColumnsOfWhateverCanBeCalled) {
  const PointKernel<float, double (*)(const Point&, const Point&)> points(
      {Point{0, 0, 0}, Point{3, 4, 0}, Point{0, 0, 2}},
      [](const Point& a, const Point& b) { return length(a - b); }, 9.0F);
  const IntegralKernel<float> kernel(points);
  std::vector<float> out(2);
  const std::vector<Index> some = {1, 0};
  kernel.row(0, some, out.data());
  EXPECT_EQ(out, (std::vector<float>{5, 9}));
  kernel.column(some, 2, out.data());
  EXPECT_EQ(out, (std::vector<float>{std::sqrt(29.0F), 2}));
}

// Entries 10 i + j.
struct ByRowsAndColumns {
  void row(Index i, std::span<const Index> cols, double* out) const {
    for (const Index j : cols) *out++ = 10 * i + j;
  }
  void column(std::span<const Index> rows, Index j, double* out) const {
    for (const Index i : rows) *out++ = 10 * i + j;
  }
};

TEST(IntegralKernel, WhatHasRowsAndColumnsGivesThemAtOnce) {
  const ByRowsAndColumns entries;
  const IntegralKernel<double> kernel(entries);
  std::vector<double> out(2);
  const std::vector<Index> some = {4, 0};
  kernel.row(3, some, out.data());
  EXPECT_EQ(out, (std::vector<double>{34, 30}));
  kernel.column(some, 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{42, 2}));
}

}  // namespace
}  // namespace trisweep::hmatrix
