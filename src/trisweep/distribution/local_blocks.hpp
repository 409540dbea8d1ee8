#pragma once
// The blocks of the factors, and the segments of a vector, that a rank stores: pure data, derived from the
// structure and the mapping alone, so that any rank (and the model) can compute those of any other.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {

// Calls visit(block) for the blocks of supernode k's panel on a side. On the diagonal side these are the
// diagonal block itself or, for a tile, its columns of the group's dense diagonal block, whose rows count
// from the group's first column.
template <class Visit>
void for_each_block(const symbolic::Structure& s, Side side, Index k, Visit&& visit) {
  if (side != Side::diagonal) {
    for (const symbolic::Block& block : s.blocks(k)) visit(block);
    return;
  }
  const auto [group, last] = s.group_of(k);
  const Index origin = s.first[usize(group)];
  for (Index i = group; i < last; ++i)
    visit(symbolic::Block{i, s.first[usize(i)] - origin, s.first[usize(i) + 1] - origin});
}

// One block of a piece: rows [begin, end) of the panel in the structure, which lie in local segment
// `segment`.
struct PieceBlock {
  Index segment;
  Index begin;
  Index end;
};

// The pieces of one side's panels that a rank stores. Piece p holds, of panel supernode[p], the rows of the
// blocks this rank owns: height x width, in slabs (core/slabs.hpp), at value_ptr[p] of the rank's storage.
struct LocalSide {
  std::vector<Index> supernode;   // pieces, ascending
  std::vector<Index> segment;     // pieces: the local segment of that supernode
  std::vector<Offset> value_ptr;  // pieces + 1
  std::vector<Offset> row_ptr;    // pieces + 1
  std::vector<Offset> block_ptr;  // pieces + 1
  std::vector<PieceBlock> block;  // by piece, rows ascending

  Index pieces() const { return static_cast<Index>(supernode.size()); }
  Index height(Index p) const { return static_cast<Index>(row_ptr[usize(p) + 1] - row_ptr[usize(p)]); }
  std::span<const PieceBlock> blocks(Index p) const {
    return {block.data() + block_ptr[usize(p)], block.data() + block_ptr[usize(p) + 1]};
  }
};

inline constexpr std::array<Side, 3> sides{Side::lower, Side::upper, Side::diagonal};

// A local segment is a supernode that this rank has a slot for in its work vector: because it owns the
// diagonal block, or because one of its pieces reads from or adds into that segment.
struct LocalBlocks {
  Index rank = 0;
  Index layer = 0;
  std::vector<Index> segment;  // the supernode of each local segment, ascending
  std::vector<Index> slot;     // segments + 1: first row of each slot in the work vector
  std::vector<char> owned;     // 1 where this rank owns the diagonal block
  LocalSide lower;
  LocalSide upper;
  LocalSide diagonal;  // of D^-1

  Index segments() const { return static_cast<Index>(segment.size()); }
  Index width(Index s) const { return slot[usize(s) + 1] - slot[usize(s)]; }
  Index work_rows() const { return slot.back(); }
  const LocalSide& side(Side s) const {
    return s == Side::lower ? lower : s == Side::upper ? upper : diagonal;
  }
  LocalSide& side(Side s) { return const_cast<LocalSide&>(std::as_const(*this).side(s)); }
  // The local segment of a supernode, or -1. Logarithmic in the number of segments.
  Index local(Index supernode) const {
    // A single rank has all supernodes.
    if (supernode < segments() && segment[usize(supernode)] == supernode) return supernode;
    const auto at = std::lower_bound(segment.begin(), segment.end(), supernode);
    return at == segment.end() || *at != supernode ? -1 : static_cast<Index>(at - segment.begin());
  }
};

LocalBlocks make_local_blocks(const symbolic::Structure& structure, const Mapping& mapping, Index rank);

// The local blocks of all ranks of a layer, by rank, in one pass over the blocks that the layer holds.
std::vector<LocalBlocks> make_all_local_blocks(const symbolic::Structure& structure, const Mapping& mapping,
                                               Index layer);

// Appends the work-vector row of each row of a block of piece p of `side`.
void append_positions(const symbolic::Structure& structure, const LocalBlocks& local_blocks, Side side,
                      Index p, const PieceBlock& block, std::vector<Index>& positions);

// The work-vector row of each row of a rank's pieces, ordered as LocalSide::row_ptr says, for the
// executor of a plan.
struct PiecePositions {
  std::vector<Index> lower;
  std::vector<Index> upper;
  std::vector<Index> diagonal;
  const std::vector<Index>& side(Side s) const {
    return s == Side::lower ? lower : s == Side::upper ? upper : diagonal;
  }
};
PiecePositions piece_positions(const symbolic::Structure& structure, const LocalBlocks& local_blocks);

}  // namespace trisweep::distribution
