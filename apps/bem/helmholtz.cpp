#include "apps/bem/helmholtz.hpp"

#include <cmath>
#include <numbers>

namespace trisweep::bem {
namespace {

// Points of the rule in barycentric coordinates: the centroid, and two sets of three points on the medians.
struct MedianPoints {
  double corner;  // coordinate of the median's corner; the other two are equal
  double weight;
};
constexpr double weight_of_centroid = 0.225;
constexpr std::array<MedianPoints, 2> median = {
    {{0.05971587178976982, 0.13239415278850618}, {0.79742698535308732, 0.12593918054482715}}};

// (exp(i k r) - 1) / r = i k exp(i k r / 2) sinc(k r / 2).
std::complex<double> smooth_part(double k, double r) {
  const double half = 0.5 * k * r;
  const double sinc = std::abs(half) < 1e-4 ? 1 - half * half / 6 : std::sin(half) / half;
  return std::polar(k * sinc, half + std::numbers::pi / 2);
}

}  // namespace

HelmholtzLayer::HelmholtzLayer(const TriangleMesh& mesh, double wavenumber)
    : wavenumber_(wavenumber),
      static_(mesh, 1 / (4 * std::numbers::pi)),
      centroid_(centroids(mesh)),
      area_(areas(mesh)) {
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners corners = mesh.corners(t);
    auto& of_triangle = point_.emplace_back();
    of_triangle[0] = centroid(corners);
    for (std::size_t m = 0; m < 2; ++m) {
      const double rest = (1 - median[m].corner) / 2;
      for (std::size_t k = 0; k < 3; ++k)
        of_triangle[1 + 3 * m + k] =
            median[m].corner * corners[k] + rest * (corners[(k + 1) % 3] + corners[(k + 2) % 3]);
    }
  }
}

std::complex<double> HelmholtzLayer::operator()(Index i, Index j) const {
  const auto at = [&](std::size_t q) {
    return smooth_part(wavenumber_, length(centroid_[usize(i)] - point_[usize(j)][q]));
  };
  std::complex<double> sum = weight_of_centroid * at(0);
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t k = 0; k < 3; ++k) sum += median[m].weight * at(1 + 3 * m + k);
  }
  return static_(i, j) + area_[usize(j)] / (4 * std::numbers::pi) * sum;
}

}  // namespace trisweep::bem
