#include "trisweep/component/shape.hpp"

#include <algorithm>

namespace trisweep::component {

Shape shape_of(const matrix::Pattern& below) {
  Shape shape;
  shape.level.resize(usize(below.rows));
  for (Index i = 0; i < below.rows; ++i) {
    Index level = 0;
    for (const Index j : below.row(i)) level = std::max(level, shape.level[usize(j)] + 1);
    shape.level[usize(i)] = level;
    shape.levels = std::max(shape.levels, level + 1);
    shape.most_dependencies = std::max(shape.most_dependencies, static_cast<Index>(below.row(i).size()));
  }
  if (below.rows > 0) {
    shape.parallelism = double(below.rows) / shape.levels;
    shape.dependency = double(below.nonzeros() + below.rows) / below.rows;
  }
  return shape;
}

}  // namespace trisweep::component
