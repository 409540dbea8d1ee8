#include "trisweep/distribution/row_partition.hpp"

#include <algorithm>

namespace trisweep::distribution {

Index RowPartition::owner(Index row) const {
  return static_cast<Index>(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
}

RowPartition even_partition(Index rows, Index ranks) {
  RowPartition partition;
  for (Index r = 0; r <= ranks; ++r) partition.begin.push_back(static_cast<Index>(Offset{rows} * r / ranks));
  return partition;
}

}  // namespace trisweep::distribution
