#pragma once
// One rank's rows of vectors that every rank knows.

#include <algorithm>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/distribution/row_partition.hpp"

namespace trisweep::testing_support {

// Column-major, without gaps.
template <Scalar T>
std::vector<T> own_rows(const distribution::RowPartition& partition, Index rank,
                        const std::vector<T>& whole) {
  std::vector<T> own;
  for (auto column = whole.begin(); column != whole.end(); column += partition.rows()) {
    const auto first = column + partition.first(rank);
    own.insert(own.end(), first, first + partition.count(rank));
  }
  return own;
}

// Of one vector after the other.
template <class T>
Vectors<T> in_columns(std::vector<T>& v, Index rows, Index cols) {
  return {v.data(), rows, cols};
}
template <class T>
Vectors<const T> in_columns(const std::vector<T>& v, Index rows, Index cols) {
  return {v.data(), rows, cols};
}

}  // namespace trisweep::testing_support
