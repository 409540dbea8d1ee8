#include "trisweep/hmatrix/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"

namespace trisweep::hmatrix {
namespace {

std::string lower_case_ending(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

}  // namespace

std::string defect_of(const Corners& c) {
  const double longest = std::max({length(c[1] - c[0]), length(c[2] - c[1]), length(c[0] - c[2])});
  const double height = longest > 0 ? 2 * area(c) / longest : 0;
  if (!std::isfinite(longest) || !std::isfinite(height)) return "has a corner that is not finite";
  if (height <= 1e-7 * longest) return "has no area";
  return {};
}

TriangleMesh read_mesh(const std::filesystem::path& file, Observer& observer) {
  const std::string ending = lower_case_ending(file);
  if (ending == ".msh") return read_gmsh(file, observer);
  if (ending == ".stl" || ending == ".obj" || ending == ".ply") return read_with_assimp(file);
  throw InputError(file, 0, fmt::format("'{}' is no format of meshes that can be read", ending),
                   "give a file .msh (Gmsh), .stl, .obj or .ply");
}

}  // namespace trisweep::hmatrix
