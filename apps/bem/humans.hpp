#pragma once
#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A man of boxes, 1.75 m tall, standing at the origin and looking along the second axis: closed, of as many
// triangles as are asked for (less one where that is odd), or of the fewest that he can have, some 500.
TriangleMesh human_mesh(Index triangles);

}  // namespace trisweep::bem
