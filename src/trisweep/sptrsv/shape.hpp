#pragma once
// What the dependencies of a triangular system allow (multi-GPU zero-copy paper, Table I).

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

struct Shape {
  std::vector<Index> level;  // by row: 0 where it needs no other
  Index levels = 0;
  double parallelism = 0;       // rows a level
  double dependency = 0;        // nonzeros a row, the diagonal among them
  Index most_dependencies = 0;  // of one row, the diagonal left out
};

// `below`: strictly lower triangular.
Shape shape_of(const matrix::Pattern& below);

// The rows of each level, in order; level l ends at end[l].
struct Levels {
  std::vector<Index> row;
  std::vector<Index> end;
};
Levels rows_by_level(const Shape& shape);

}  // namespace trisweep::sptrsv
