#include "trisweep/hmatrix/conductors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/spheres.hpp"

namespace trisweep::hmatrix {
namespace {

Index triangles_of(const NamedObject& object, const ObjectOptions& options) {
  return object.triangles > 0 ? object.triangles : options.triangles;
}

void require_positive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return;
  throw Error(ErrorKind::usage, fmt::format("{} of {}", what, value), "give a positive number of metres");
}

Conductors make_sphere(const NamedObject& object, const ObjectOptions& options) {
  require_positive(options.radius[0], "a radius");
  const auto mesh = sphere_mesh(rings_for(triangles_of(object, options)), options.radius[0], {0, 0, 0});
  Conductors sphere = one_body(std::string(object.name), mesh, options.potential[0]);
  sphere.exact_charge = charge_of_sphere(options.radius[0], options.potential[0]);
  return sphere;
}

// Half of the triangles each, above one another. The charge is that of the upper one.
Conductors make_spheres(const NamedObject& object, const ObjectOptions& options) {
  const auto [upper, lower] = options.radius;
  require_positive(upper, "a radius");
  require_positive(lower, "a radius");
  if (!(options.distance > upper + lower)) {
    throw Error(
        ErrorKind::usage,
        fmt::format("spheres of radius {} and {} with centres {} apart meet", upper, lower, options.distance),
        "give a larger distance or smaller radii");
  }
  const Rings rings = rings_for(triangles_of(object, options) / 2);
  Conductors pair = one_body(std::string(object.name),
                             sphere_mesh(rings, upper, {0, 0, options.distance / 2}), options.potential[0]);
  append(pair.mesh, sphere_mesh(rings, lower, {0, 0, -options.distance / 2}));
  pair.potential.resize(usize(pair.mesh.size()), options.potential[1]);
  if (upper == lower && options.potential[0] == -options.potential[1])
    pair.exact_charge = charge_of_opposite_spheres(upper, options.distance, options.potential[0]);
  return pair;
}

constexpr std::array<NamedObject, 6> table = {{
    {"sphere", "a sphere at a potential", 0, make_sphere},
    {"spheres", "two spheres, of opposite potentials unless others are given", 0, make_spheres},
    {"100ts",
     "the paper's two spheres of 50,625 triangles each (here 50,700: closed ones have an even number)",
     101250, make_spheres},
    {"288ts", "the paper's two spheres of 144,000 triangles each", 288000, make_spheres},
    {"338ts", "the paper's two spheres of 169,000 triangles each", 338000, make_spheres},
    {"1ms", "the paper's two spheres of 502,200 triangles each", 1004400, make_spheres},
}};

}  // namespace

std::span<const NamedObject> objects() {
  return table;
}

Conductors make_object(std::string_view name, const ObjectOptions& options) {
  const NamedObject& object = find_named(objects(), "object", name, ", or a file of triangles");
  if (object.triangles > 0 && options.triangles > 0 && options.triangles != object.triangles) {
    throw Error(
        ErrorKind::usage,
        fmt::format("the object {} has {} triangles, not {}", name, object.triangles, options.triangles),
        "leave --n out, or give the object sphere or spheres");
  }
  if (triangles_of(object, options) <= 0)
    throw Error(ErrorKind::usage, fmt::format("the object {} may have any number of triangles", name),
                "say how many with --n");
  for (const double potential : options.potential) {
    if (!std::isfinite(potential))
      throw Error(ErrorKind::usage, fmt::format("a potential of {} V", potential), "give a finite number");
  }
  return object.make(object, options);
}

Conductors one_body(std::string name, TriangleMesh mesh, double potential) {
  Conductors body{.name = std::move(name), .mesh = std::move(mesh)};
  body.counted = body.mesh.size();
  body.potential.assign(usize(body.counted), potential);
  return body;
}

}  // namespace trisweep::hmatrix
