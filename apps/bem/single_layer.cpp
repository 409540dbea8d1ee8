#include "apps/bem/single_layer.hpp"

#include <algorithm>
#include <numbers>

#include "apps/bem/spheres.hpp"

namespace trisweep::bem {
namespace {

// Bound below which eight terms of a series in x^2 are exact in double precision.
constexpr double small = 0.1;

// sum_n (sign x^2)^n / (2n + 1), n < 8.
inline double series(double x2) {
  double sum = 1.0 / 15;
  for (const double divisor : {13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) sum = sum * x2 + 1 / divisor;
  return sum;
}

// ln[(s + l) / (s - l)] = 2 artanh(l / s); zero at s = l, where p is on the edge and d_k is zero as well.
inline double log_ratio(double s, double l) {
  const double x = l / s;
  if (x < small) return 2 * x * series(x * x);
  return s > l ? std::log((s + l) / (s - l)) : 0;
}

// atan2(y, x) for y >= 0.
inline double angle(double y, double x) {
  if (y < small * x) return y / x * series(-(y / x) * (y / x));
  return std::atan2(y, x);
}

}  // namespace

TriangleFrame::TriangleFrame(const Corners& corners) : corner_(corners) {
  const Point n = normal(corners);
  twice_area_ = length(n);
  normal_ = (1 / twice_area_) * n;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point edge = corners[(k + 1) % 3] - corners[k];
    edge_[k] = length(edge);
    outward_[k] = (1 / edge_[k]) * cross(edge, normal_);
  }
}

double TriangleFrame::inverse_distance(const Point& p) const {
  const std::array<Point, 3> a = {corner_[0] - p, corner_[1] - p, corner_[2] - p};
  const std::array<double, 3> r = {length(a[0]), length(a[1]), length(a[2])};
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    sum += dot(a[k], outward_[k]) * log_ratio(r[k] + r[(k + 1) % 3], edge_[k]);
  const double z = std::abs(dot(a[0], normal_));
  const double solid_angle = 2 * angle(z * twice_area_, r[0] * r[1] * r[2] + dot(a[0], a[1]) * r[2] +
                                                            dot(a[0], a[2]) * r[1] + dot(a[1], a[2]) * r[0]);
  return sum - z * solid_angle;
}

SingleLayer::SingleLayer(const TriangleMesh& mesh, double factor)
    : factor_(factor), centroid_(centroids(mesh)) {
  for (Index t = 0; t < mesh.size(); ++t) frame_.emplace_back(mesh.corners(t));
}

double coulomb_factor() {
  return 1 / (4 * std::numbers::pi * vacuum_permittivity);
}

}  // namespace trisweep::bem
