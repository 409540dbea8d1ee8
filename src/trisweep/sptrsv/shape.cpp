#include "trisweep/sptrsv/shape.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::sptrsv {

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

Levels rows_by_level(const Shape& shape) {
  Levels levels{.row = std::vector<Index>(shape.level.size()),
                .end = std::vector<Index>(usize(shape.levels))};
  std::vector<Index> next(usize(shape.levels) + 1);
  for (const Index level : shape.level) ++next[usize(level) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::copy(next.begin() + 1, next.end(), levels.end.begin());
  for (std::size_t i = 0; i < shape.level.size(); ++i)
    levels.row[usize(next[usize(shape.level[i])]++)] = static_cast<Index>(i);
  return levels;
}

}  // namespace trisweep::sptrsv
