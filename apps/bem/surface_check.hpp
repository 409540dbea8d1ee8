#pragma once
// What a surface from a file may be wrong in beyond single triangles: each twice, sides turned against each
// other or inwards, holes.

#include <filesystem>

#include "apps/bem/mesh_file.hpp"

namespace trisweep::bem {

// Corners at the same place count as one. Throws InputError that names the file and a facet (counted from 1,
// in the order of the file): a triangle that there is twice; two that pass their common edge in the same
// direction; a closed surface that is inside out; with `closed`, an edge that is not of two triangles.
// Defects::repair removes the second triangle, and turns those that are turned; a surface with one side
// alone, and holes, remain errors.
void check_surface(TriangleMesh& mesh, const std::filesystem::path& file, const MeshOptions& options,
                   MeshRepairs& repairs);

}  // namespace trisweep::bem
