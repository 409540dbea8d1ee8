#pragma once
// Surfaces of unions of boxes whose sides are along the axes.

#include <span>

#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

struct Box {
  Point low, high;
};

// Closed, with normals outwards: rectangles of sides about as long as `width`, two triangles each. Corners
// and edges of the boxes are some of the mesh, so that its volume and area are those of the union. Boxes that
// meet have a part of a face in common.
class BoxUnion {
 public:
  BoxUnion(std::span<const Box> boxes, double width);

  Index triangles() const;
  TriangleMesh mesh() const;

 private:
  // Coordinates that sides of boxes have along an axis, and into how many parts each interval is cut.
  struct Axis {
    std::vector<double> side;
    std::vector<Index> parts;

    Index intervals() const { return static_cast<Index>(parts.size()); }
    double coordinate(Index interval, Index part) const;
  };
  using Cell = std::array<Index, 3>;  // intervals of the three axes

  static Axis axis_of(std::span<const Box> boxes, std::size_t d, double width);
  bool is_inside(const Cell& cell) const;
  // Calls visit(cell, axis, above) for each face of a cell that is a piece of the surface.
  template <class Visit>
  void for_each_face(const Visit& visit) const;

  std::array<Axis, 3> axis_;
  std::vector<char> inside_;  // of cells
};

// Cuts the longest edges in halves, one after the other, until there are so many triangles, or one fewer: a
// closed surface remains one, and stays where it is.
void split_longest_edges(TriangleMesh& mesh, Index triangles);

}  // namespace trisweep::bem
