#pragma once
// Distribution of the rows of the caller's vectors and matrix over ranks.

#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::distribution {

// Rank r owns rows [begin[r], begin[r + 1]), possibly none.
struct RowPartition {
  std::vector<Index> begin;

  Index first(Index rank) const { return begin[usize(rank)]; }
  Index count(Index rank) const { return begin[usize(rank) + 1] - begin[usize(rank)]; }
  Index rows() const { return begin.back(); }
  Index owner(Index row) const;
};

RowPartition even_partition(Index rows, Index ranks);

}  // namespace trisweep::distribution
