#pragma once
// Triangle meshes from files: Gmsh's MSH 2.2 and 4.1 (text, maybe gzipped) by a reader of our own; STL, OBJ
// and PLY by assimp, whose coordinates are of single precision.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "apps/bem/triangle_mesh.hpp"
#include "trisweep/core/observer.hpp"

namespace trisweep::bem {

// What becomes of triangles that cannot be as they are.
enum class Defects { refuse, repair };
struct NamedDefects {
  std::string_view name;
  Defects defects;
};
std::span<const NamedDefects> defects();

struct MeshOptions {
  Defects defects = Defects::refuse;
  bool closed = false;  // the surface has to be
};

// Triangles that were removed or turned.
struct MeshRepairs {
  Index without_area = 0;
  Index duplicated = 0;
  Index turned = 0;

  bool any() const { return without_area + duplicated + turned > 0; }
};

// By the name's ending. Throws InputError that names the file, and of MSH the line: a file that cannot be
// read, no triangles, corners that there are not or are not finite; triangles whose longest edge is not from
// 1e-60 to 1e60; those without area unless they are removed; what check_surface() finds.
TriangleMesh read_mesh(const std::filesystem::path& file, const MeshOptions& options, MeshRepairs& repairs,
                       Observer& observer = silent_observer());
TriangleMesh read_mesh(const std::filesystem::path& file, Observer& observer = silent_observer());

// Triangles as a reader finds them, those without area left out where they are to be.
class TriangleSink {
 public:
  TriangleSink(const MeshOptions& options, MeshRepairs& repairs) : options_(options), repairs_(repairs) {}

  // What is wrong with the triangle that it is refused for; empty when nothing is.
  std::string add(const std::array<Index, 3>& nodes);
  TriangleMesh mesh;

 private:
  const MeshOptions& options_;
  MeshRepairs& repairs_;
};
void read_gmsh(const std::filesystem::path& file, TriangleSink& sink, Observer& observer);
void read_with_assimp(const std::filesystem::path& file, TriangleSink& sink);

}  // namespace trisweep::bem
