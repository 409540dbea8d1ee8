#pragma once
// All that a factorization needs besides values: the tree of fronts, and where entries of A and contribution
// blocks go in them. Made once for a pattern; every matrix of that pattern is factored with it.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::numeric {

// An entry of A in the panel of the supernode that it is assembled in, where its row or its column is
// eliminated. Positions count the supernode's columns, then its rows.
struct MatrixEntry {
  Offset source;  // among the values of A
  Index row;
  Index col;
};

// All that is read of a front where it has few columns and rows, which take hardly longer than looking it up
// in as many lists.
struct FrontRecord {
  Index width;                    // columns eliminated
  Index height;                   // rows of the contribution block
  Index depth;                    // 0 at a root
  Index child_begin, child_end;   // in FrontTree::child
  Offset entry_begin, entry_end;  // of the first supernode, in Fronts::entry
  Offset panel, diagonal;         // where that begins in the factors
  Offset block, blocks_below;     // entries on the stack: of its contribution block, and of its children's
  Offset place;                   // in Fronts::place
  Index scattered;                // of the places: the others, from it on, follow each other
  double flops;
};

struct Fronts {
  std::shared_ptr<const symbolic::Structure> structure;
  Kind kind = Kind::lu;
  FrontTree tree;
  std::vector<double> flops;         // by front
  std::vector<Offset> panel_ptr;     // as Factors have them
  std::vector<Offset> diagonal_ptr;  // likewise
  Offset all_panel_entries = 0;      // of one factor, in other processes too
  Offset largest = 0;                // entries of the panels of a front
  Offset stack = 0;                  // entries of contribution blocks at once, on one thread
  Index widest_divided = 1;          // columns of a supernode that is not kept whole
  std::vector<Offset> entry_ptr;     // supernodes + 1
  std::vector<MatrixEntry> entry;
  std::vector<Offset> place_ptr;  // fronts + 1
  // Of the rows of a front's contribution block in the front of its parent, where that is assembled here.
  std::vector<Index> place;
  std::vector<FrontRecord> record;  // by front

  // Of all panels that are made here.
  Offset factor_entries() const { return diagonal_ptr.back() + (has_upper(kind) ? 2 : 1) * panel_ptr.back(); }
  std::span<const MatrixEntry> entries(Index supernode) const {
    return {entry.data() + entry_ptr[usize(supernode)], entry.data() + entry_ptr[usize(supernode) + 1]};
  }
  std::span<const Index> places_in_parent(Index front) const {
    return {place.data() + place_ptr[usize(front)], place.data() + place_ptr[usize(front) + 1]};
  }
};

// What of a factorization is this process's. Empty: all of it.
struct OwnFronts {
  std::span<const char> panels{};     // by supernode: whether they are made here
  std::span<const char> assembled{};  // by front: whether entries or contributions are added to it here
};

// Entry (i, j) of the pattern is entry (row_new[i], col_new[j]) of the matrix in the structure's order;
// empty: it is in that order. All kinds but LU read the lower triangle. Throws Error(usage) when an entry
// lies outside the structure; those of fronts that are not assembled here are ignored.
Fronts make_fronts(const matrix::Pattern& pattern, std::span<const Index> row_new,
                   std::span<const Index> col_new, std::shared_ptr<const symbolic::Structure> structure,
                   Kind kind, const OwnFronts& own = {});

}  // namespace trisweep::numeric
