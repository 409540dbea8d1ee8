#pragma once
#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A human figure of boxes, 1.75 m tall, standing at the origin and facing along the second axis. The surface
// is closed and has `triangles` triangles (one fewer if that is odd), or the smallest possible number, about
// 500.
TriangleMesh human_mesh(Index triangles);

}  // namespace trisweep::bem
