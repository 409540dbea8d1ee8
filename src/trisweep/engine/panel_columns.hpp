#pragma once
// Copies rows of the factors' panels to the pieces of a distribution, which consist of such rows.

#include <algorithm>
#include <span>

#include "trisweep/core/slabs.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/numeric/factors.hpp"

namespace trisweep::engine {

// A block stored in slabs, from column `column` on.
template <class Pointer>
struct PanelColumns {
  Pointer value;
  Index height;
  Index width;
  Index column = 0;
};

// Location of a supernode's panel of one side in the factors. The factors have whole supernodes; the tiles of
// a distribution are ranges of their columns.
struct PanelPlace {
  Index wide;  // supernode of the factors
  Index height;
  Index width;
  Index column;
};
inline PanelPlace place_of_panel(const symbolic::Structure& tiles, distribution::Side side, Index k,
                                 const symbolic::Structure& whole) {
  const Index wide = whole.supernode_of[usize(tiles.first[usize(k)])];
  return {.wide = wide,
          .height = side == distribution::Side::diagonal ? whole.width(wide) : whole.height(wide),
          .width = whole.width(wide),
          .column = tiles.first[usize(k)] - whole.first[usize(wide)]};
}

template <class S>
PanelColumns<const S*> panel_of(const symbolic::Structure& tiles, distribution::Side side, Index k,
                                const numeric::Factors<S>& factors) {
  const auto [wide, height, width, column] = place_of_panel(tiles, side, k, *factors.structure);
  const S* const panel = side == distribution::Side::lower   ? factors.lower_panel(wide)
                         : side == distribution::Side::upper ? factors.upper_panel(wide)
                                                             : factors.diagonal_block(wide);
  return {.value = panel, .height = height, .width = width, .column = column};
}

// Copies `rows` rows of all columns of `to`.
template <class S>
void copy_rows(const PanelColumns<const S*>& from, Index from_row, const PanelColumns<S*>& to, Index to_row,
               Index rows) {
  while (rows > 0) {
    const Index run = std::min({rows, slab_rows - from_row % slab_rows, slab_rows - to_row % slab_rows});
    for (Index j = 0; j < to.width; ++j) {
      std::copy_n(from.value + slab_entry(from.height, from.width, from_row, from.column + j), run,
                  to.value + slab_entry(to.height, to.width, to_row, j));
    }
    from_row += run;
    to_row += run;
    rows -= run;
  }
}

// Copies the blocks of a piece, ranges of the panel's rows, into the piece.
template <class S>
void copy_piece(const PanelColumns<const S*>& panel, std::span<const distribution::PieceBlock> blocks,
                const PanelColumns<S*>& piece) {
  Index row = 0;
  for (const distribution::PieceBlock& block : blocks) {
    copy_rows(panel, block.begin, piece, row, block.end - block.begin);
    row += block.end - block.begin;
  }
}

}  // namespace trisweep::engine
