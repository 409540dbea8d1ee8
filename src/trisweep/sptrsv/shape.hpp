#pragma once
// Levels and parallelism of a triangular system's dependencies (multi-GPU zero-copy paper, Table I).

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

struct Shape {
  std::vector<Index> level;  // by row; 0: no dependencies
  Index levels = 0;
  double parallelism = 0;       // rows per level
  double dependency = 0;        // nonzeros per row, including the diagonal
  Index most_dependencies = 0;  // maximum over rows, without the diagonal
};

// `below`: strictly lower triangular.
Shape shape_of(const matrix::Pattern& below);

// The rows of each level, ascending; level l ends at end[l].
struct Levels {
  std::vector<Index> row;
  std::vector<Index> end;
};
Levels rows_by_level(const Shape& shape);

}  // namespace trisweep::sptrsv
