#pragma once
// The single layer potential of constant charge densities on triangles, evaluated at the triangles'
// centroids: the kernel of HACApK's electrostatics (collocation).

#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A triangle, prepared for integrals over it.
class TriangleFrame {
 public:
  explicit TriangleFrame(const Corners& corners);

  // Int dS / |p - y| over the triangle for any point p, even on the triangle, in closed form (Wilton et al.
  // 1984):
  //   sum_k d_k ln[(r_k + r_k+1 + l_k) / (r_k + r_k+1 - l_k)] - |z| Omega
  // with d_k the distance from p's projection to edge k, r_k that to corner k, l_k the edges' lengths, z the
  // height over the plane, Omega the solid angle (Van Oosterom, Strackee 1983). The sum r_k + t is free of
  // cancellation; small terms, of distant triangles, are summed as a series.
  double inverse_distance(const Point& p) const;

 private:
  Corners corner_;
  std::array<Point, 3> outward_;  // unit normals of the edges, in the plane
  std::array<double, 3> edge_;    // their lengths; edge k is from corner k to k + 1
  Point normal_;
  double twice_area_;
};

// A_ij = factor Int_{T_j} dS / |c_i - y|, c_i the centroid of T_i.
class SingleLayer {
 public:
  explicit SingleLayer(const TriangleMesh& mesh, double factor = 1);

  double operator()(Index i, Index j) const {
    return factor_ * frame_[usize(j)].inverse_distance(centroid_[usize(i)]);
  }

 private:
  double factor_;
  std::vector<TriangleFrame> frame_;
  std::vector<Point> centroid_;
};

// 1 / (4 pi eps0): potentials in V of charges in C on lengths in m.
double coulomb_factor();

}  // namespace trisweep::bem
