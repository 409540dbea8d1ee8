#pragma once
// The single layer potential of waves, exp(i k r) / (4 pi r), for constant densities on triangles, evaluated
// at the triangles' centroids.

#include <complex>

#include "apps/bem/single_layer.hpp"

namespace trisweep::bem {

// A_ij = Int_{T_j} exp(i k |c_i - y|) / (4 pi |c_i - y|) dS: 1 / r in closed form, and the smooth remainder
// (exp(i k r) - 1) / r by a seven-point rule (degree 5, Radon 1948). There should be several triangles per
// wavelength: with triangles of 1 / 4 wavelength, the error of the remainder is less than 1e-3 of the entry
// next to the triangle.
class HelmholtzLayer {
 public:
  HelmholtzLayer(const TriangleMesh& mesh, double wavenumber);

  std::complex<double> operator()(Index i, Index j) const;

 private:
  static constexpr std::size_t points = 7;

  double wavenumber_;
  SingleLayer static_;
  std::vector<Point> centroid_;
  std::vector<std::array<Point, points>> point_;
  std::vector<double> area_;
};

}  // namespace trisweep::bem
