#pragma once
// Kernels of point interactions: any function of two points.

#include <utility>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/hmatrix/point.hpp"

namespace trisweep::hmatrix {

// A_ij = interaction(x_i, x_j) for i != j, and A_ii = `diagonal`.
template <Scalar T, class Interaction>
class PointKernel {
 public:
  // Row and column i belong to points[i]; interaction(x, y) returns the entry of two points, `diagonal` is
  // the entry of each point with itself.
  PointKernel(std::vector<Point> points, Interaction interaction, T diagonal)
      : points_(std::move(points)), interaction_(std::move(interaction)), diagonal_(diagonal) {}

  // A_ij, the entry of points i and j.
  T operator()(Index i, Index j) const {
    return i == j ? diagonal_ : static_cast<T>(interaction_(points_[usize(i)], points_[usize(j)]));
  }

 private:
  std::vector<Point> points_;
  Interaction interaction_;
  T diagonal_;
};

}  // namespace trisweep::hmatrix
