#pragma once
// Triangle meshes from files: Gmsh's MSH 2.2 and 4.1 (text, maybe gzipped) by a reader of our own; STL, OBJ
// and PLY by assimp, whose coordinates are of single precision.

#include <filesystem>
#include <string>

#include "trisweep/core/observer.hpp"
#include "trisweep/hmatrix/triangle_mesh.hpp"

namespace trisweep::hmatrix {

// By the name's ending. Throws InputError that names the file, and of MSH the line: a file that cannot be
// read, no triangles, corners that there are not or are not finite, triangles without area.
TriangleMesh read_mesh(const std::filesystem::path& file, Observer& observer = silent_observer());

// What is wrong with the triangle; empty when nothing is.
std::string defect_of(const Corners& corners);

TriangleMesh read_gmsh(const std::filesystem::path& file, Observer& observer);
TriangleMesh read_with_assimp(const std::filesystem::path& file);

}  // namespace trisweep::hmatrix
