#pragma once
// Square matrices that are made row by row.

#include <map>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::testing_support {

// Of each row, its entries by column.
template <Scalar T>
matrix::Csr<T> csr_of(const std::vector<std::map<Index, T>>& rows) {
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = static_cast<Index>(rows.size());
  for (const auto& row : rows) {
    for (const auto& [j, value] : row) {
      a.pattern.col.push_back(j);
      a.value.push_back(value);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

}  // namespace trisweep::testing_support
