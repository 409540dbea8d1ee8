#pragma once
// Checks of a surface from a file beyond single triangles: duplicates, inconsistent or inward orientation,
// holes.

#include <filesystem>

#include "apps/bem/mesh_file.hpp"

namespace trisweep::bem {

// Corners at the same point count as one. Throws InputError, which names the file and a facet (counted from
// 1, in file order): for a duplicate triangle; for two triangles that pass their common edge in the same
// direction; for a closed surface with inward normals; with `closed`, for an edge that does not belong to two
// triangles. Defects::repair removes duplicates, and turns triangles with wrong orientation; one-sided
// surfaces and holes remain errors.
void check_surface(TriangleMesh& mesh, const std::filesystem::path& file, const MeshOptions& options,
                   MeshRepairs& repairs);

}  // namespace trisweep::bem
