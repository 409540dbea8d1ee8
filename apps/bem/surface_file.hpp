#pragma once
// A surface and what is known of its triangles as a VTU file, which ParaView reads.

#include <span>
#include <string>

#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// Of each triangle.
struct TriangleField {
  std::string name;
  std::span<const double> value;
};

std::string to_vtu(const TriangleMesh& mesh, std::span<const TriangleField> fields);

}  // namespace trisweep::bem
