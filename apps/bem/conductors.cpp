#include "apps/bem/conductors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/bem/humans.hpp"
#include "apps/bem/spheres.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/core/named.hpp"

namespace trisweep::bem {
namespace {

Index triangles_of(const NamedObject& object, const ObjectOptions& options) {
  return object.triangles > 0 ? object.triangles : options.triangles;
}

void require_memory_for(std::size_t triangles) {
  // Smallest number of bytes per triangle before there is a matrix: nodes, centre, potential and position in
  // clusters, in growing lists.
  constexpr std::size_t bytes = 200;
  require_memory(triangles * bytes, "the surface and its clusters", 0,
                 "take fewer triangles, or a machine with more memory");
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

// Two spheres, one above the other, with half of the triangles each. The charge is that of the upper one.
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

// Conductors at the ground's potential: at height z the potential of their charge compensates that of the
// field, -field z. The charge is that of the first one, in a corner.
Conductors make_humans(const NamedObject& object, const ObjectOptions& options) {
  constexpr double width = 0.64;
  const Index m = object.array > 0 ? object.array : options.array;
  if (!(options.distance > width))
    throw Error(ErrorKind::usage,
                fmt::format("humans {} m wide with centres {} m apart meet", width, options.distance),
                "give a larger distance");
  const TriangleMesh human = human_mesh(triangles_of(object, options) / (m * m));
  require_memory_for(usize(human.size()) * usize(m) * usize(m));  // has hundreds, even if fewer are asked for
  Conductors humans{.name = std::string(object.name), .mesh = {}, .counted = human.size()};
  for (Index i = 0; i < m * m; ++i) {
    TriangleMesh here = human;
    for (Point& p : here.node) p = p + options.distance * Point{double(i % m), double(i / m), 0};
    append(humans.mesh, here);
  }
  for (const Point& p : centroids(humans.mesh)) humans.potential.push_back(options.field * p[2]);
  return humans;
}

constexpr std::string_view of_spheres[] = {"radius", "distance", "potential"};
constexpr std::string_view of_sphere[] = {"radius", "potential"};
constexpr std::string_view of_humans[] = {"distance", "field", "array"};
constexpr auto of_arrays = std::span(of_humans).first(2);

constexpr auto table = std::to_array<NamedObject>({
    {"sphere", "a sphere at a potential", 0, 0, make_sphere, of_sphere},
    {"spheres", "two spheres, of opposite potentials unless others are given", 0, 0, make_spheres,
     of_spheres},
    {"human", "humanoids of boxes on the ground, in a uniform field", 0, 0, make_humans, of_humans},
    {"100ts",
     "the paper's two spheres of 50,625 triangles each (here 50,700: closed ones have an even number)",
     101250, 0, make_spheres, of_spheres},
    {"288ts", "the paper's two spheres of 144,000 triangles each", 288000, 0, make_spheres, of_spheres},
    {"338ts", "the paper's two spheres of 169,000 triangles each", 338000, 0, make_spheres, of_spheres},
    {"1ms", "the paper's two spheres of 502,200 triangles each", 1004400, 0, make_spheres, of_spheres},
    {"8ms", "the paper's two spheres of 3,998,400 triangles each", 7996800, 0, make_spheres, of_spheres},
    {"20ms", "the paper's two spheres of 10,368,000 triangles each", 20736000, 0, make_spheres, of_spheres},
    {"hum2", "2 x 2 humanoids of 19,664 triangles each, as many as the paper's have", 78656, 2, make_humans,
     of_arrays},
    {"hum4", "4 x 4 of them", 314624, 4, make_humans, of_arrays},
    {"hum6", "6 x 6 of them", 707904, 6, make_humans, of_arrays},
});

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
        "leave --n out, or give the object sphere, spheres or human");
  }
  if (triangles_of(object, options) <= 0)
    throw Error(ErrorKind::usage, fmt::format("the object {} may have any number of triangles", name),
                "say how many with --n");
  for (const double potential : options.potential) {
    if (!std::isfinite(potential))
      throw Error(ErrorKind::usage, fmt::format("a potential of {} V", potential), "give a finite number");
  }
  if (!std::isfinite(options.field))
    throw Error(ErrorKind::usage, fmt::format("a field of {} V/m", options.field), "give a finite number");
  if (!(options.array > 0))
    throw Error(ErrorKind::usage, fmt::format("an array of {0} x {0} humans", options.array),
                "give a positive number");
  require_memory_for(usize(triangles_of(object, options)));
  return object.make(object, options);
}

Conductors one_body(std::string name, TriangleMesh mesh, double potential) {
  Conductors body{.name = std::move(name), .mesh = std::move(mesh)};
  body.counted = body.mesh.size();
  body.potential.assign(usize(body.counted), potential);
  return body;
}

}  // namespace trisweep::bem
