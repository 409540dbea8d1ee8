#pragma once
// All right-hand sides of a file.

#include "trisweep/matrix/dense_reader.hpp"

namespace trisweep::matrix {

inline AnyDense read_dense(const std::filesystem::path& file) {
  DenseReader reader(file);
  AnyDense all = reader.column();
  for (Index column = 1; column < reader.cols(); ++column) {
    std::visit(
        [&]<class Dense>(Dense& dense) {
          const auto next = std::get<Dense>(reader.column());
          dense.value.insert(dense.value.end(), next.value.begin(), next.value.end());
          ++dense.cols;
        },
        all);
  }
  return all;
}

}  // namespace trisweep::matrix
