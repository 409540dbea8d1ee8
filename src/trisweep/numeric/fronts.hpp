#pragma once
// All data of a factorization that do not depend on values: the tree of fronts, and the positions of entries
// of A and of contribution blocks in them. Made once per pattern, for all matrices of that pattern.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::numeric {

// An entry of A in the panel that it is assembled into: that of the supernode in which its row or its column
// is eliminated first. `row` and `col` are positions in the panel: the supernode's columns first, then its
// rows.
struct MatrixEntry {
  Offset source;  // index into the values of A
  Index row;
  Index col;
};

// All that is read about a front, in one place: for a small front, looking these up in separate lists would
// take about as long as the elimination.
struct FrontRecord {
  Index width;                    // columns eliminated
  Index height;                   // rows of the contribution block
  Index depth;                    // 0 at a root
  Index child_begin, child_end;   // in FrontTree::child
  Offset entry_begin, entry_end;  // of the first supernode, in Fronts::entry
  Offset panel, diagonal;         // of the first supernode: its start in the factors
  Offset block, blocks_below;     // entries on the stack: of its contribution block, of its children's
  Offset place;                   // in Fronts::place
  Index scattered;                // number of places before the last ones, which are consecutive
  double flops;
};

struct Fronts {
  std::shared_ptr<const symbolic::Structure> structure;
  Kind kind = Kind::lu;
  FrontTree tree;
  std::vector<double> flops;         // by front
  std::vector<Offset> panel_ptr;     // as in Factors
  std::vector<Offset> diagonal_ptr;  // likewise
  Offset all_panel_entries = 0;      // of one factor, over all processes
  Offset largest = 0;                // most entries that the panels of a front have
  Offset stack = 0;                  // peak of contribution entries, on one thread
  Index widest_divided = 1;          // most columns of a supernode that is not kept whole
  std::vector<Offset> entry_ptr;     // supernodes + 1
  std::vector<MatrixEntry> entry;
  std::vector<Offset> place_ptr;  // fronts + 1
  // Positions of the rows of a front's contribution block in the parent front, if that is assembled here.
  std::vector<Index> place;
  std::vector<FrontRecord> record;  // by front

  // Entries of all panels that are made here.
  Offset factor_entries() const { return diagonal_ptr.back() + (has_upper(kind) ? 2 : 1) * panel_ptr.back(); }
  std::span<const MatrixEntry> entries(Index supernode) const {
    return {entry.data() + entry_ptr[usize(supernode)], entry.data() + entry_ptr[usize(supernode) + 1]};
  }
  std::span<const Index> places_in_parent(Index front) const {
    return {place.data() + place_ptr[usize(front)], place.data() + place_ptr[usize(front) + 1]};
  }
};

// The part of a factorization that belongs to this process. Empty lists: all of it.
struct OwnFronts {
  std::span<const char> panels{};     // by supernode: whether they are made here
  std::span<const char> assembled{};  // by front: whether entries or contributions are added to it here
};

// Entry (i, j) of the pattern is entry (row_new[i], col_new[j]) of the matrix in the structure's order;
// empty lists: it is in that order already. All kinds but LU read the lower triangle only. Throws
// Error(usage) if an entry lies outside the structure; entries of fronts that are not assembled here are
// ignored.
Fronts make_fronts(const matrix::Pattern& pattern, std::span<const Index> row_new,
                   std::span<const Index> col_new, std::shared_ptr<const symbolic::Structure> structure,
                   Kind kind, const OwnFronts& own = {});

}  // namespace trisweep::numeric
