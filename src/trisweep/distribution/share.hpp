#pragma once
// One rank's share of the factors and of a vector: pure data, derived from the structure and the mapping
// alone, so that any rank (and the model) can compute anybody's.

#include <vector>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {

// The pieces of one side's panels that a rank stores. Piece p holds, of panel supernode[p], the rows of the
// blocks this rank owns: height x width, column-major, at value_ptr[p] of the rank's storage.
struct SideShare {
  std::vector<Index> supernode;   // pieces, ascending
  std::vector<Offset> value_ptr;  // pieces + 1
  std::vector<Offset> row_ptr;    // pieces + 1
  std::vector<Index> position;    // the work-vector row of each piece row
  std::vector<Offset> block_ptr;  // pieces + 1
  std::vector<Index> block;       // the local segment each of the piece's blocks lies in, ascending

  Index pieces() const { return static_cast<Index>(supernode.size()); }
  Index height(Index p) const { return static_cast<Index>(row_ptr[usize(p) + 1] - row_ptr[usize(p)]); }
  std::span<const Index> blocks(Index p) const {
    return {block.data() + block_ptr[usize(p)], block.data() + block_ptr[usize(p) + 1]};
  }
};

// A local segment is a supernode that this rank has a slot for in its work vector: because it owns the
// diagonal block, or because one of its pieces reads from or adds into that segment.
struct Share {
  Index rank = 0;
  Index layer = 0;
  std::vector<Index> segment;        // the supernode of each local segment, ascending
  std::vector<Index> slot;           // segments + 1: first row of each slot in the work vector
  std::vector<char> owned;           // 1 where this rank owns the diagonal block
  std::vector<Index> local;          // supernodes: its local segment, or -1
  std::vector<Offset> diagonal_ptr;  // segments + 1: the inverted diagonal block (empty unless owned)
  SideShare lower;
  SideShare upper;

  Index segments() const { return static_cast<Index>(segment.size()); }
  Index width(Index s) const { return slot[usize(s) + 1] - slot[usize(s)]; }
  Index work_rows() const { return slot.back(); }
  const SideShare& side(Side s) const { return s == Side::lower ? lower : upper; }
};

Share make_share(const symbolic::Structure& structure, const Mapping& mapping, Index rank);

}  // namespace trisweep::distribution
