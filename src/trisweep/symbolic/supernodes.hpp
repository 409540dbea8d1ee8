#pragma once
// Supernodes, by their sizes alone: columns of L with the same structure, then with nearly the same one. The
// structure itself is formed in structure.cpp.

#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::symbolic {

struct SymbolicOptions;

// A forest of supernodes, children before parents.
struct Supernodes {
  std::vector<Index> width;
  std::vector<Index> height;  // rows below the diagonal block
  std::vector<Index> parent;  // -1 at a root
  std::vector<Index> range;   // the node of the separator tree it belongs to

  Index size() const { return static_cast<Index>(width.size()); }
  void reserve(std::size_t supernodes) {
    for (auto* list : {&width, &height, &parent, &range}) list->reserve(supernodes);
  }
};

// Maximal runs of columns j, j+1, ... of one range in which each column is the parent of the one before it
// and has one row less. `parent` and `count` (see column_counts) are in an order where ranges are contiguous.
Supernodes fundamental_supernodes(const std::vector<Index>& parent, const std::vector<Index>& count,
                                  const std::vector<Index>& range_of);

// The options adapted to these supernodes: if all fronts are tiny, SymbolicOptions::max_width_if_tiny is
// applied.
SymbolicOptions for_fronts_of(const Supernodes& supernodes, SymbolicOptions options);

// Merges supernodes into their parents where that makes a sweep faster (SymbolicOptions::supernode_bytes); in
// ranges with `whole` always. Returns for each supernode the one that holds its columns in the end (itself,
// or an ancestor), whose sizes in `supernodes` are those of the union.
std::vector<Index> amalgamate(Supernodes& supernodes, const std::vector<char>& whole,
                              const SymbolicOptions& options);

}  // namespace trisweep::symbolic
