#include "trisweep/distribution/local_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::distribution {
namespace {

using symbolic::Structure;

// Until a rank's segments are numbered, PieceBlock::segment is a supernode.
void append_block(LocalSide& part, Index k, Index width, const symbolic::Block& block) {
  if (part.supernode.empty() || part.supernode.back() != k) {
    part.supernode.push_back(k);
    part.value_ptr.push_back(part.value_ptr.back());
    part.row_ptr.push_back(part.row_ptr.back());
    part.block_ptr.push_back(part.block_ptr.back());
  }
  const Index height = block.end - block.begin;
  part.block.push_back({block.row_supernode, block.begin, block.end});
  part.value_ptr.back() += Offset{height} * width;
  part.row_ptr.back() += height;
  ++part.block_ptr.back();
}

// All panels of a side, for a single rank: its segments are the supernodes.
LocalSide all_of_side(const Structure& s, Side side) {
  LocalSide part;
  const auto supernodes = usize(s.supernodes());
  part.supernode.resize(supernodes);
  for (auto* ptr : {&part.value_ptr, &part.row_ptr, &part.block_ptr}) ptr->resize(supernodes + 1);
  part.block.reserve(side == Side::diagonal ? supernodes : s.block.size());
  std::size_t pieces = 0;
  Offset values = 0, rows = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    Index height = 0;
    for_each_block(s, side, k, [&](const symbolic::Block& block) {
      part.block.push_back({block.row_supernode, block.begin, block.end});
      height += block.end - block.begin;
    });
    if (height == 0) continue;
    part.supernode[pieces++] = k;
    part.value_ptr[pieces] = values += Offset{height} * s.width(k);
    part.row_ptr[pieces] = rows += height;
    part.block_ptr[pieces] = std::ssize(part.block);
  }
  part.supernode.resize(pieces);
  for (auto* ptr : {&part.value_ptr, &part.row_ptr, &part.block_ptr}) ptr->resize(pieces + 1);
  part.segment = part.supernode;
  return part;
}

LocalBlocks all_blocks(const Structure& s) {
  LocalBlocks all{.segment = std::vector<Index>(usize(s.supernodes())),
                  .slot = s.first,
                  .owned = std::vector<char>(usize(s.supernodes()), 1),
                  .lower = all_of_side(s, Side::lower),
                  .diagonal = all_of_side(s, Side::diagonal)};
  std::iota(all.segment.begin(), all.segment.end(), 0);
  all.upper = all.lower;
  return all;
}

// Makes the local blocks of some ranks of one layer.
class Maker {
 public:
  Maker(const Structure& structure, const Mapping& mapping, Index layer, const std::vector<Index>& ranks)
      : structure_(structure), mapping_(mapping), layer_(layer), place_(usize(mapping.ranks()), -1) {
    for (const Index rank : ranks) {
      place_[usize(rank)] = static_cast<Index>(shares_.size());
      LocalBlocks& local_blocks = shares_.emplace_back(LocalBlocks{.rank = rank, .layer = layer});
      for (LocalSide* part : {&local_blocks.lower, &local_blocks.upper, &local_blocks.diagonal})
        part->value_ptr = part->row_ptr = part->block_ptr = {0};
    }
  }

  std::vector<LocalBlocks> make() && {
    for (Index k = 0; k < structure_.supernodes(); ++k) {
      if (mapping_.layers_of(k).contains(layer_)) deal(k);
    }
    mark_.assign(usize(structure_.supernodes()), untouched);
    for (LocalBlocks& local_blocks : shares_) number_segments(local_blocks);
    return std::move(shares_);
  }

 private:
  // While a rank's segments are being found, the mark of a supernode is one of these; then it is its local
  // segment.
  static constexpr Index untouched = -1, touched = -2, owned = -3;

  LocalBlocks* share_of(Index rank) {
    const Index place = place_[usize(rank)];
    return place < 0 ? nullptr : &shares_[usize(place)];
  }

  // Gives the segment and the blocks of supernode k to their owners.
  void deal(Index k) {
    if (LocalBlocks* local_blocks = share_of(mapping_.diagonal_owner(layer_, k)))
      local_blocks->segment.push_back(k);
    for (const Side side : sides) {
      for_each_block(structure_, side, k, [&](const symbolic::Block& block) {
        LocalBlocks* local_blocks = share_of(mapping_.owner(layer_, side, block.row_supernode, k));
        if (local_blocks != nullptr) append_block(local_blocks->side(side), k, structure_.width(k), block);
      });
    }
  }

  // Before: local_blocks.segment has the owned supernodes only.
  void number_segments(LocalBlocks& local_blocks) {
    for (const Index k : local_blocks.segment) mark_[usize(k)] = owned;
    for (const LocalSide* part : {&local_blocks.lower, &local_blocks.upper, &local_blocks.diagonal}) {
      for (const Index k : part->supernode) touch(k, local_blocks);
      for (const PieceBlock& block : part->block) touch(block.segment, local_blocks);
    }
    std::sort(local_blocks.segment.begin(), local_blocks.segment.end());
    lay_out(local_blocks);
    for (LocalSide* part : {&local_blocks.lower, &local_blocks.upper, &local_blocks.diagonal}) {
      part->segment.reserve(part->supernode.size());
      for (const Index k : part->supernode) part->segment.push_back(mark_[usize(k)]);
      for (PieceBlock& block : part->block) block.segment = mark_[usize(block.segment)];
    }
    for (const Index k : local_blocks.segment) mark_[usize(k)] = untouched;
  }

  void touch(Index k, LocalBlocks& local_blocks) {
    if (mark_[usize(k)] != untouched) return;
    mark_[usize(k)] = touched;
    local_blocks.segment.push_back(k);
  }

  void lay_out(LocalBlocks& local_blocks) {
    local_blocks.slot.push_back(0);
    for (Index s = 0; s < local_blocks.segments(); ++s) {
      const Index k = local_blocks.segment[usize(s)], width = structure_.width(k);
      const bool owns = mark_[usize(k)] == owned;
      local_blocks.owned.push_back(owns);
      local_blocks.slot.push_back(local_blocks.slot.back() + width);
      mark_[usize(k)] = s;
    }
  }

  const Structure& structure_;
  const Mapping& mapping_;
  Index layer_;
  std::vector<Index> place_;  // by rank: position in shares_, or -1
  std::vector<LocalBlocks> shares_;
  std::vector<Index> mark_;  // supernodes
};

}  // namespace

LocalBlocks make_local_blocks(const Structure& structure, const Mapping& mapping, Index rank) {
  if (mapping.ranks() == 1) return all_blocks(structure);
  return std::move(Maker(structure, mapping, mapping.layer_of_rank(rank), {rank}).make().front());
}

std::vector<LocalBlocks> make_all_local_blocks(const Structure& structure, const Mapping& mapping,
                                               Index layer) {
  std::vector<Index> ranks;
  for (Index rank = 0; rank < mapping.ranks(); ++rank) {
    if (mapping.layer_of_rank(rank) == layer) ranks.push_back(rank);
  }
  return Maker(structure, mapping, layer, ranks).make();
}

void append_positions(const Structure& structure, const LocalBlocks& local_blocks, Side side, Index p,
                      const PieceBlock& block, std::vector<Index>& positions) {
  const Index k = local_blocks.side(side).supernode[usize(p)], i = local_blocks.segment[usize(block.segment)];
  const Index slot = local_blocks.slot[usize(block.segment)];
  if (side == Side::diagonal) {
    const Index shift =
        slot - (structure.first[usize(i)] - structure.first[usize(structure.group[usize(k)])]);
    for (Index r = block.begin; r < block.end; ++r) positions.push_back(r + shift);
    return;
  }
  const auto rows = structure.rows(k);
  const Index shift = slot - structure.first[usize(i)];
  for (Index r = block.begin; r < block.end; ++r) positions.push_back(rows[usize(r)] + shift);
}

PiecePositions piece_positions(const Structure& structure, const LocalBlocks& local_blocks) {
  const auto of = [&](Side side) {
    const LocalSide& part = local_blocks.side(side);
    const auto has_all = [&](Offset rows) {  // then work rows are rows of the structure
      return local_blocks.work_rows() == structure.n && part.row_ptr.back() == rows;
    };
    if (side != Side::diagonal && has_all(std::ssize(structure.row))) return structure.row;
    std::vector<Index> positions;
    if (side == Side::diagonal && has_all(structure.n)) {  // no tiles: these have rows of others
      positions.resize(usize(structure.n));
      std::iota(positions.begin(), positions.end(), Index{0});
      return positions;
    }
    positions.reserve(usize(part.row_ptr.back()));
    for (Index p = 0; p < part.pieces(); ++p) {
      for (const PieceBlock& block : part.blocks(p))
        append_positions(structure, local_blocks, side, p, block, positions);
    }
    return positions;
  };
  return {of(Side::lower), of(Side::upper), of(Side::diagonal)};
}

}  // namespace trisweep::distribution
