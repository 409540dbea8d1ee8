#pragma once
// Conducting surfaces, each at a potential.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bem/mesh_file.hpp"

namespace trisweep::bem {

struct Conductors {
  std::string name;
  TriangleMesh mesh;
  std::vector<double> potential;       // in V, by triangle
  Index counted = 0;                   // the requested charge is that of the first `counted` triangles
  std::optional<double> exact_charge;  // in C, if there is a formula
  MeshRepairs repairs;                 // of a surface from a file
};

struct ObjectOptions {
  Index triangles = 0;                          // approximate total number; 0: given by the object's name
  std::array<double, 2> radius = {0.25, 0.25};  // m
  double distance = 1;                          // between the centres of neighbours, in m
  std::array<double, 2> potential = {1, -1};    // in V; a single body has the first
  Index array = 1;                              // number of humans along each side of their square
  double field = 1;                             // upward field around the humans, in V / m
};

// An object of the option `--object`, its fixed number of triangles (0: given by the user), and its array of
// humans; `depends_on`: the options that affect it.
struct NamedObject {
  std::string_view name;
  std::string_view description;
  Index triangles;
  Index array;
  Conductors (*make)(const NamedObject& object, const ObjectOptions& options);
  std::span<const std::string_view> depends_on;
};
std::span<const NamedObject> objects();

// Throws Error(usage) if there is no such object, it cannot have that size, or bodies touch, and
// Error(environment) if memory does not suffice for the triangles.
Conductors make_object(std::string_view name, const ObjectOptions& options);

// A given surface at one potential.
Conductors one_body(std::string name, TriangleMesh mesh, double potential);

}  // namespace trisweep::bem
