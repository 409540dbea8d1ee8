#pragma once
// The panels of made-up factors as compressed ones lie.

#include "trisweep/device/panels.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::testing_support {

inline constexpr double tile_eps = 1e-6;

// Those of a PE piece by piece: each in tiles where that is shorter.
template <Scalar T>
class TiledPanels {
 public:
  TiledPanels(const distribution::LocalBlocks& local_blocks, const device::PanelSpans<T>& whole) {
    for (const auto side : distribution::sides) {
      const auto s = static_cast<std::size_t>(side);
      const auto& of = local_blocks.side(side);
      for (Index p = 0; p < of.pieces(); ++p) {
        const Index height = of.height(p);
        const T* const value = whole[s].data() + of.value_ptr[usize(p)];
        const auto entries = of.value_ptr[usize(p) + 1] - of.value_ptr[usize(p)];
        if (entries == 0) {
          piece_[s].push_back({nullptr, false});
          continue;
        }
        const Index width = static_cast<Index>(entries / height);
        const std::array<Index, 2> cut{0, height};
        const auto tiles = lowrank::in_tiles<T>(lowrank::SlabPanel<T>{value, height, width}, cut, tile_eps);
        const auto bytes = tiles.empty() ? std::as_bytes(std::span(value, usize(entries))) : std::span(tiles);
        memory_[s].push_back(zeros<std::byte>(bytes.size(), "a test"));
        std::ranges::copy(bytes, memory_[s].back().data());
        piece_[s].push_back({memory_[s].back().data(), !tiles.empty()});
        if (tiles.empty()) continue;
        for (const lowrank::Tile& tile : lowrank::tiles_of(memory_[s].back().data()))
          ++(tile.rank == lowrank::Tile::dense ? dense_ : low_rank_);
      }
    }
  }
  device::PanelsBySide<device::PieceSpan<T>> view() const {
    return {device::PieceSpan<T>{piece_[0], memory_[0]}, {piece_[1], memory_[1]}, {piece_[2], memory_[2]}};
  }

  // Tiles of either kind.
  int dense() const { return dense_; }
  int low_rank() const { return low_rank_; }

 private:
  std::array<std::vector<device::Piece>, 3> piece_;
  std::array<std::vector<Buffer<std::byte>>, 3> memory_;
  int dense_ = 0, low_rank_ = 0;
};

}  // namespace trisweep::testing_support
