#include <algorithm>
#include <numeric>

#include "trisweep/symbolic/blocks.hpp"

namespace trisweep::symbolic {

Structure reshaped(const Structure& structure, const std::vector<Index>& in_place_of, Shape shape) {
  Structure s;
  s.n = structure.n;
  s.first = std::move(shape.first);
  s.row_ptr = std::move(shape.row_ptr);
  s.row = std::move(shape.row);
  s.supernode_of.resize(usize(s.n));
  for (Index k = 0; k < s.supernodes(); ++k) {
    std::fill(s.supernode_of.begin() + s.first[usize(k)], s.supernode_of.begin() + s.first[usize(k) + 1], k);
    s.whole.push_back(structure.whole[usize(in_place_of[usize(k)])]);
  }
  s.group.resize(usize(s.supernodes()));
  std::iota(s.group.begin(), s.group.end(), 0);
  group_blocks(s);
  s.tree = structure.tree;
  for (std::vector<Index>* bound : {&s.tree.begin, &s.tree.end}) {
    for (Index& k : *bound)
      k = static_cast<Index>(std::ranges::lower_bound(in_place_of, k) - in_place_of.begin());
  }
  return s;
}

}  // namespace trisweep::symbolic
