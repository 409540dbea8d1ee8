#pragma once
// Triangle meshes from files: Gmsh's MSH 2.2 and 4.1 (text, possibly gzipped) by our own reader; STL, OBJ and
// PLY by assimp, whose coordinates are in single precision.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "apps/bem/triangle_mesh.hpp"
#include "trisweep/core/observer.hpp"

namespace trisweep::bem {

// Treatment of defective triangles.
enum class Defects { refuse, repair };
struct NamedDefects {
  std::string_view name;
  Defects defects;
};
std::span<const NamedDefects> defects();

struct MeshOptions {
  Defects defects = Defects::refuse;
  bool closed = false;  // the surface must be closed
};

// Triangles that were removed or turned.
struct MeshRepairs {
  Index without_area = 0;
  Index duplicated = 0;
  Index turned = 0;

  bool any() const { return without_area + duplicated + turned > 0; }
};

// Chooses the reader by the file name's extension. Throws InputError, which names the file, and for MSH the
// line: if the file cannot be read, has no triangles, or has corners that do not exist or are not finite; for
// triangles whose longest edge is not between 1e-60 and 1e60, or without area unless they are removed; and as
// check_surface().
TriangleMesh read_mesh(const std::filesystem::path& file, const MeshOptions& options, MeshRepairs& repairs,
                       Observer& observer = silent_observer());
TriangleMesh read_mesh(const std::filesystem::path& file, Observer& observer = silent_observer());

// Collects the triangles that a reader finds, without those that have no area if these are to be removed.
class TriangleSink {
 public:
  TriangleSink(const MeshOptions& options, MeshRepairs& repairs) : options_(options), repairs_(repairs) {}

  // Returns the defect for which the triangle is refused; empty if it is accepted.
  std::string add(const std::array<Index, 3>& nodes);
  TriangleMesh mesh;

 private:
  const MeshOptions& options_;
  MeshRepairs& repairs_;
};
void read_gmsh(const std::filesystem::path& file, TriangleSink& sink, Observer& observer);
void read_with_assimp(const std::filesystem::path& file, TriangleSink& sink);

}  // namespace trisweep::bem
