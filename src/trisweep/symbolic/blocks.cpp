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
  s.block_ptr.reserve(s.first.size());
  s.block_ptr.push_back(0);
  s.parent.reserve(s.first.size());
  for (Index k = 0; k < s.supernodes(); ++k) {
    Offset blocks = 0;
    for_each_block(s, k, [&](Index, Index, Index) { ++blocks; });
    s.block_ptr.push_back(s.block_ptr.back() + blocks);
  }
  s.block.reserve(usize(s.block_ptr.back()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    for_each_block(s, k, [&](Index owner, Index begin, Index end) {
      s.block.push_back({owner, begin, end});
    });
    s.parent.push_back(s.height(k) == 0 ? -1 : s.supernode_of[usize(s.rows(k).front())]);
  }
}

}  // namespace trisweep::symbolic
