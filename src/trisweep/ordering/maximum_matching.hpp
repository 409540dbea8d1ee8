#pragma once
// Matchings of rows to columns of largest size, whatever the values.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

// By row: its column in a matching of a square pattern with as many rows as possible; -1 where unmatched. The
// diagonal, if that is full. Cost: O(nonzeros sqrt(n)), in practice O(nonzeros). Throws std::bad_alloc, and
// what `observer` throws.
std::vector<Index> maximum_matching(const matrix::Pattern& a, Observer& observer);

}  // namespace trisweep::ordering
