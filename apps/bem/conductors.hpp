#pragma once
// What is charged: conducting surfaces, each at a potential.

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
  std::vector<double> potential;  // V, of each triangle
  Index counted = 0;              // the charge that is asked for is that of so many triangles at the front
  std::optional<double> exact_charge;  // C, where there is a formula
  MeshRepairs repairs;                 // of a file's surface
};

struct ObjectOptions {
  Index triangles = 0;                          // about so many in all; 0: as many as a name says
  std::array<double, 2> radius = {0.25, 0.25};  // m
  double distance = 1;                          // of the centres of neighbours, m
  std::array<double, 2> potential = {1, -1};    // V; of one body alone the first counts
  Index array = 1;                              // humans along either side of the square they stand in
  double field = 1;                             // V / m, that they stand in, upwards
};

// An object that `--object` names, its own number of triangles (0: as many as are asked for), and the array
// of humans; `depends_on`: the options that shape it.
struct NamedObject {
  std::string_view name;
  std::string_view description;
  Index triangles;
  Index array;
  Conductors (*make)(const NamedObject& object, const ObjectOptions& options);
  std::span<const std::string_view> depends_on;
};
std::span<const NamedObject> objects();

// Throws Error(usage) when there is no such object, it cannot have that size, or bodies meet, and
// Error(environment) when memory does not suffice for so many triangles.
Conductors make_object(std::string_view name, const ObjectOptions& options);

// A surface from elsewhere at one potential.
Conductors one_body(std::string name, TriangleMesh mesh, double potential);

}  // namespace trisweep::bem
