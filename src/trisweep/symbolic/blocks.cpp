#include "trisweep/symbolic/blocks.hpp"

namespace trisweep::symbolic {
namespace {

// Calls visit(row_supernode, begin, end) for each run of K's rows that lie in one supernode.
template <class Visit>
void for_each_block(const Structure& s, Index k, Visit&& visit) {
  const auto rows = s.rows(k);
  for (Index begin = 0, end = 0; begin < s.height(k); begin = end) {
    const Index owner = s.supernode_of[usize(rows[usize(begin)])];
    while (end < s.height(k) && rows[usize(end)] < s.first[usize(owner) + 1]) ++end;
    visit(owner, begin, end);
  }
}

}  // namespace

void group_blocks(Structure& s) {
  const auto supernodes = usize(s.supernodes());
  s.block_ptr.resize(supernodes + 1);
  s.parent.resize(supernodes);
  Offset blocks = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    for_each_block(s, k, [&](Index, Index, Index) { ++blocks; });
    s.block_ptr[usize(k) + 1] = blocks;
  }
  s.block.resize(usize(blocks));
  Block* block = s.block.data();
  for (Index k = 0; k < s.supernodes(); ++k) {
    s.parent[usize(k)] = -1;
    for_each_block(s, k, [&](Index owner, Index begin, Index end) {
      if (begin == 0) s.parent[usize(k)] = owner;
      *block++ = {owner, begin, end};
    });
  }
}

}  // namespace trisweep::symbolic
