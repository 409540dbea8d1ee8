#include "trisweep/distribution/share.hpp"

namespace trisweep::distribution {
namespace {

using symbolic::Structure;

// Calls visit(k, block) for every block (I, K) of `side` that `rank` owns, K ascending, then I ascending.
template <class Visit>
void for_each_owned_block(const Structure& s, const Mapping& mapping, Side side, Index rank, Visit&& visit) {
  const Index layer = mapping.layer_of_rank(rank);
  for (Index k = 0; k < s.supernodes(); ++k) {
    if (!mapping.layers_of(k).contains(layer)) continue;
    for (const auto& block : s.blocks(k)) {
      if (mapping.owner(layer, side, block.row_supernode, k) == rank) visit(k, block);
    }
  }
}

void mark_segments(const Structure& s, const Mapping& mapping, Share& share) {
  std::vector<char> touched(usize(s.supernodes()));
  for (const Side side : {Side::lower, Side::upper}) {
    for_each_owned_block(s, mapping, side, share.rank, [&](Index k, const symbolic::Block& block) {
      touched[usize(k)] = touched[usize(block.row_supernode)] = 1;
    });
  }
  share.local.assign(usize(s.supernodes()), -1);
  share.slot.push_back(0);
  share.diagonal_ptr.push_back(0);
  for (Index k = 0; k < s.supernodes(); ++k) {
    const bool owned =
        mapping.layers_of(k).contains(share.layer) && mapping.diagonal_owner(share.layer, k) == share.rank;
    if (!owned && touched[usize(k)] == 0) continue;
    share.local[usize(k)] = share.segments();
    share.segment.push_back(k);
    share.owned.push_back(owned);
    share.slot.push_back(share.slot.back() + s.width(k));
    share.diagonal_ptr.push_back(share.diagonal_ptr.back() + (owned ? Offset{s.width(k)} * s.width(k) : 0));
  }
}

SideShare side_share(const Structure& s, const Mapping& mapping, Side side, const Share& share) {
  SideShare part{
      .supernode = {}, .value_ptr = {0}, .row_ptr = {0}, .position = {}, .block_ptr = {0}, .block = {}};
  for_each_owned_block(s, mapping, side, share.rank, [&](Index k, const symbolic::Block& block) {
    if (part.supernode.empty() || part.supernode.back() != k) {
      part.supernode.push_back(k);
      part.value_ptr.push_back(part.value_ptr.back());
      part.row_ptr.push_back(part.row_ptr.back());
      part.block_ptr.push_back(part.block_ptr.back());
    }
    const Index i = block.row_supernode;
    const Index local = share.local[usize(i)];
    for (Index r = block.begin; r < block.end; ++r) {
      part.position.push_back(share.slot[usize(local)] + s.rows(k)[usize(r)] - s.first[usize(i)]);
    }
    part.block.push_back(local);
    part.value_ptr.back() += Offset{block.end - block.begin} * s.width(k);
    part.row_ptr.back() += block.end - block.begin;
    ++part.block_ptr.back();
  });
  return part;
}

}  // namespace

Share make_share(const Structure& structure, const Mapping& mapping, Index rank) {
  Share share{.rank = rank, .layer = mapping.layer_of_rank(rank)};
  mark_segments(structure, mapping, share);
  share.lower = side_share(structure, mapping, Side::lower, share);
  share.upper = side_share(structure, mapping, Side::upper, share);
  return share;
}

}  // namespace trisweep::distribution
