#pragma once
// A surface and fields of values on its triangles, as a VTU file, which ParaView reads.

#include <span>
#include <string>

#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A value for each triangle.
struct TriangleField {
  std::string name;
  std::span<const double> value;
};

std::string to_vtu(const TriangleMesh& mesh, std::span<const TriangleField> fields);

}  // namespace trisweep::bem
