#include "apps/bem/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/bem/surface_check.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::bem {
namespace {

constexpr auto table_of_defects =
    std::to_array<NamedDefects>({{"refuse", Defects::refuse}, {"repair", Defects::repair}});

bool is_finite(const Corners& corners) {
  return std::ranges::all_of(corners, [](const Point& p) {
    return std::ranges::all_of(p, [](double x) { return std::isfinite(x); });
  });
}

double longest_edge(const Corners& c) {
  const auto distance = [](const Point& a, const Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  return std::max({distance(c[0], c[1]), distance(c[1], c[2]), distance(c[2], c[0])});
}

// Bounds for which the fourth powers of edges, which occur in the area, neither overflow nor underflow.
constexpr double least_edge = 1e-60, most_edge = 1e60;

std::string lower_case_ending(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

}  // namespace

std::span<const NamedDefects> defects() {
  return table_of_defects;
}

std::string TriangleSink::add(const std::array<Index, 3>& nodes) {
  mesh.triangle.push_back(nodes);
  const Corners corners = mesh.corners(mesh.size() - 1);
  if (!is_finite(corners)) return "has a corner that is not finite";
  const double longest = longest_edge(corners);
  if (longest > 0 && !(longest >= least_edge && longest <= most_edge))
    return fmt::format(
        "is too small or too large: scale the surface, so that the longest edge is from {} "
        "to {}, not {:.1e}",
        least_edge, most_edge, longest);
  if (2 * area(corners) > 1e-7 * longest * longest) return {};
  if (options_.defects == Defects::refuse) return "has no area";
  mesh.triangle.pop_back();
  ++repairs_.without_area;
  return {};
}

TriangleMesh read_mesh(const std::filesystem::path& file, const MeshOptions& options, MeshRepairs& repairs,
                       Observer& observer) {
  const std::string ending = lower_case_ending(file);
  TriangleSink sink(options, repairs);
  if (ending == ".msh") {
    read_gmsh(file, sink, observer);
  } else if (ending == ".stl" || ending == ".obj" || ending == ".ply") {
    read_with_assimp(file, sink);
  } else {
    throw InputError(file, 0, fmt::format("'{}' is not a supported mesh format", ending),
                     "give a file .msh (Gmsh), .stl, .obj or .ply");
  }
  if (sink.mesh.size() == 0)
    throw InputError(file, 0, "no triangles",
                     "mesh the surfaces as triangles (gmsh -2), and save all of them");
  check_surface(sink.mesh, file, options, repairs);
  return std::move(sink.mesh);
}

TriangleMesh read_mesh(const std::filesystem::path& file, Observer& observer) {
  MeshRepairs none;
  return read_mesh(file, {}, none, observer);
}

}  // namespace trisweep::bem
