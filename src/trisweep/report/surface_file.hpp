#pragma once
// A surface and what is known of its triangles as a VTU file, which ParaView reads.

#include <span>
#include <string>

#include "trisweep/hmatrix/triangle_mesh.hpp"

namespace trisweep::report {

// Of each triangle.
struct TriangleField {
  std::string name;
  std::span<const double> value;
};

std::string to_vtu(const hmatrix::TriangleMesh& mesh, std::span<const TriangleField> fields);

}  // namespace trisweep::report
