#include <algorithm>
#include <numeric>
#include <utility>

#include "trisweep/symbolic/blocks.hpp"

namespace trisweep::symbolic {

Structure structure_of(Shape shape, std::vector<char> whole, ordering::SeparatorTree tree) {
  Structure s;
  s.n = shape.first.back();
  s.first = std::move(shape.first);
  s.row_ptr = std::move(shape.row_ptr);
  s.row = std::move(shape.row);
  s.supernode_of.resize(usize(s.n));
  for (Index k = 0; k < s.supernodes(); ++k)
    std::fill(s.supernode_of.begin() + s.first[usize(k)], s.supernode_of.begin() + s.first[usize(k) + 1], k);
  s.whole = std::move(whole);
  s.group.resize(usize(s.supernodes()));
  std::iota(s.group.begin(), s.group.end(), 0);
  group_blocks(s);
  s.tree = std::move(tree);
  return s;
}

Structure reshaped(const Structure& structure, const std::vector<Index>& in_place_of, Shape shape) {
  std::vector<char> whole;
  for (const Index old : in_place_of) whole.push_back(structure.whole[usize(old)]);
  ordering::SeparatorTree tree = structure.tree;
  for (std::vector<Index>* bound : {&tree.begin, &tree.end}) {
    for (Index& k : *bound)
      k = static_cast<Index>(std::ranges::lower_bound(in_place_of, k) - in_place_of.begin());
  }
  return structure_of(std::move(shape), std::move(whole), std::move(tree));
}

}  // namespace trisweep::symbolic
