#pragma once
// Surfaces of unions of boxes with sides along the axes.

#include <span>

#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

struct Box {
  Point low, high;
};

// Closed surface with outward normals, of rectangles with sides of about `width`, two triangles each. Corners
// and edges of the boxes are in the mesh, so that its volume and area are those of the union. Boxes that
// touch share a part of a face.
class BoxUnion {
 public:
  BoxUnion(std::span<const Box> boxes, double width);

  Index triangles() const;
  TriangleMesh mesh() const;

 private:
  // Coordinates of the boxes' sides along an axis, and the number of parts that each interval is divided
  // into.
  struct Axis {
    std::vector<double> side;
    std::vector<Index> parts;

    Index intervals() const { return static_cast<Index>(parts.size()); }
    double coordinate(Index interval, Index part) const;
  };
  using Cell = std::array<Index, 3>;  // indices of intervals on the three axes

  static Axis axis_of(std::span<const Box> boxes, std::size_t d, double width);
  bool is_inside(const Cell& cell) const;
  // Calls visit(cell, axis, above) for each face of a cell that is a piece of the surface.
  template <class Visit>
  void for_each_face(const Visit& visit) const;

  std::array<Axis, 3> axis_;
  std::vector<char> inside_;  // by cell
};

// Bisects the longest edges, one after the other, until there are `triangles` triangles, or one fewer. A
// closed surface remains closed, and keeps its shape.
void split_longest_edges(TriangleMesh& mesh, Index triangles);

}  // namespace trisweep::bem
