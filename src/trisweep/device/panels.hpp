#pragma once
// The panels of one side of a PE, in any storage that products support: values of S, one piece after another;
// or each piece separately, in tiles (lowrank/tiles.hpp) or, if that is shorter, as values of S.

#include <array>
#include <span>

#include "trisweep/backend/number.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::device {

// A piece that is stored separately.
struct Piece {
  const std::byte* first;
  bool in_tiles;
};

// A side of such pieces in host memory; `memory` are the blocks that contain them.
template <class S>
struct PieceSpan {
  std::span<const Piece> piece;
  std::span<const Buffer<std::byte>> memory;
};

// One entry per side, in host memory: std::span<const S> or PieceSpan<S>.
template <class Side>
using PanelsBySide = std::array<Side, distribution::sides.size()>;
template <class S>
using PanelSpans = PanelsBySide<std::span<const S>>;

// A side as kernels access it: const S*, this type, or NoPanels.
template <class S>
struct Pieces {
  const Piece* piece;
};
// For a program that measures residuals, which has a kernel of its own because of its use of registers.
struct NoPanels {};

template <class S>
const NumberOf<S>* in_kernels(std::span<const S> side) {
  return reinterpret_cast<const NumberOf<S>*>(side.data());
}
template <class S>
Pieces<NumberOf<S>> in_kernels(const PieceSpan<S>& side) {
  return {side.piece.data()};
}
inline NoPanels in_kernels(NoPanels /*side*/) {
  return {};
}
template <class Side>
using InKernels = decltype(in_kernels(std::declval<const Side&>()));

template <class Visit>
TRISWEEP_DEVICE inline void visit_panel(NoPanels /*side*/, const RowBlock& /*row_block*/,
                                        const Visit& /*visit*/) {}
// Calls visit(panel) with the panel of a row block: a pointer to values or to the head of tiles.
template <class S, class Visit>
TRISWEEP_DEVICE inline void visit_panel(const S* side, const RowBlock& row_block, const Visit& visit) {
  visit(side + row_block.value);
}
template <class S, class Visit>
TRISWEEP_DEVICE inline void visit_panel(const Pieces<S>& side, const RowBlock& row_block,
                                        const Visit& visit) {
  const Piece& piece = side.piece[row_block.piece];
  if (piece.in_tiles) {
    visit(reinterpret_cast<const lowrank::TilesHead*>(piece.first));
  } else {
    visit(reinterpret_cast<const S*>(piece.first));
  }
}

}  // namespace trisweep::device
