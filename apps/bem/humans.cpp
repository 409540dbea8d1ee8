#include "apps/bem/humans.hpp"

#include <array>
#include <cmath>

#include "apps/bem/box_union.hpp"

namespace trisweep::bem {
namespace {

// Adjoining parts of the body, in m. Their coordinates take few values, none of them close to each other,
// since that would give small triangles.
constexpr std::array<Box, 11> body = {{
    {{-0.10, -0.08, 1.50}, {0.10, 0.08, 1.75}},   // head
    {{-0.04, -0.05, 1.42}, {0.04, 0.05, 1.50}},   // neck
    {{-0.18, -0.08, 0.86}, {0.18, 0.08, 1.42}},   // trunk
    {{-0.24, -0.05, 1.32}, {-0.18, 0.05, 1.42}},  // shoulders
    {{0.18, -0.05, 1.32}, {0.24, 0.05, 1.42}},    //
    {{-0.32, -0.05, 0.78}, {-0.24, 0.05, 1.42}},  // arms
    {{0.24, -0.05, 0.78}, {0.32, 0.05, 1.42}},    //
    {{-0.18, -0.08, 0.00}, {-0.04, 0.08, 0.86}},  // legs
    {{0.04, -0.08, 0.00}, {0.18, 0.08, 0.86}},    //
    {{-0.18, 0.08, 0.00}, {-0.04, 0.19, 0.08}},   // toes
    {{0.04, 0.08, 0.00}, {0.18, 0.19, 0.08}},     //
}};

}  // namespace

TriangleMesh human_mesh(Index triangles) {
  // The finest mesh of rectangles with at most this number of triangles.
  constexpr double widest = 0.3, narrower = 0.99;
  BoxUnion best(body, widest);
  for (double width = widest;; width *= narrower) {
    BoxUnion next(body, width);
    if (next.triangles() > triangles) break;
    best = std::move(next);
  }
  TriangleMesh mesh = best.mesh();
  split_longest_edges(mesh, triangles);
  return mesh;
}

}  // namespace trisweep::bem
