#include "trisweep/lowrank/tiles.hpp"

#include <cmath>
#include <cstring>

#include "trisweep/core/slabs.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/lowrank/gram_schmidt.hpp"
#include "trisweep/lowrank/rank_revealing.hpp"

namespace trisweep::lowrank {
namespace {

// What a tile costs besides its bytes, as memory traffic: calls and short loops, of 40 ns at 13 GB/s.
// (Amalgamation prices a supernode in the same way, symbolic::SymbolicOptions.)
constexpr std::size_t bytes_for_calls = 512;
// The share of the error for truncation; rounding has the rest: in share_error() the squares of both sides'
// errors add up to half of the allowed error's square, and 0.7^2 + 1/2 < 1.
constexpr double share_of_truncation = 0.7;
// Tiles with smaller sides have nothing to gain from low rank.
constexpr Index least_side = 16;
// Of a number in U and V, typically, for an eps of 1e-8: it gives the number of columns beyond which low rank
// reads more than the dense tile.
constexpr double usual_bytes = 2.5;

// Makes the tiles of a panel.
template <Scalar T, class S>
class TileMaker {
 public:
  TileMaker(const SlabPanel<S>& panel, double eps) : panel_(panel), eps_(eps) {
    norm_ = numeric::norm_two(std::span<const S>(panel.value, usize(panel.height) * usize(panel.width)));
  }

  bool finite() const { return std::isfinite(norm_); }

  // Fills in tile.rank, tile.first and tile.second, and appends its bytes.
  void append(Tile& tile, std::vector<std::byte>& bytes) {
    numeric::View<T> block = load(tile);
    const double allowed =
        eps_ * norm_ * std::sqrt(double(tile.rows) * tile.cols / panel_.height / panel_.width);
    const Format format = format_of(as_it_is(block, tile), allowed, Precision::adaptive);
    tile.rank = Tile::dense;
    tile.first = tile.second = std::ssize(bytes);
    if (append_low_rank(tile, block, allowed, packed_size<T>(tile.rows, tile.cols, format), bytes)) return;
    block = load(tile);  // low rank has been taken out of it
    pack_block(as_it_is(block, tile), format, bytes);
  }

 private:
  static constexpr double parts = is_complex<T> ? 2 : 1;

  static numeric::View<const T> as_it_is(const numeric::View<T>& block, const Tile& tile) {
    return {block.data, tile.rows, tile.cols, block.ld};
  }

  // Appends the tile in low rank if that is shorter than `dense` bytes. Overwrites the block.
  bool append_low_rank(Tile& tile, const numeric::View<T>& block, double allowed, std::size_t dense,
                       std::vector<std::byte>& bytes) {
    if (std::min(tile.rows, tile.cols) < least_side) return false;
    const auto most = static_cast<Index>(double(dense) / (usual_bytes * parts * (tile.rows + tile.cols)));
    auto found = rank_revealing(block, tile.rows, {share_of_truncation * allowed, most});
    if (!found) return false;
    low_rank_.clear();
    const Index rank = found->rank;
    const std::size_t u = pack(*std::move(found), allowed);
    if (low_rank_.size() + bytes_for_calls >= dense) return false;
    tile.rank = rank;
    tile.first += std::ptrdiff_t(u);
    bytes.insert(bytes.end(), low_rank_.begin(), low_rank_.end());
    return true;
  }

  // The tile's numbers, in padded columns.
  numeric::View<T> load(const Tile& tile) {
    const Index ld = padded_rows(tile.rows);
    block_.assign(usize(ld) * usize(tile.cols), T{});
    for (Index i = 0; i < tile.rows;) {
      const Index row = tile.row + i;
      const Index run = std::min(tile.rows - i, slab_rows - row % slab_rows);
      for (Index j = 0; j < tile.cols; ++j) {
        const S* const from = panel_.value + slab_entry(panel_.height, panel_.width, row, tile.col + j);
        std::copy_n(from, run, block_.data() + usize(ld) * usize(j) + usize(i));
      }
      i += run;
    }
    return {block_.data(), ld, tile.cols, ld};
  }

  // Packs V, then U, the order in which forward products read them; returns where U begins. share_error() is
  // applied to the transpose, whose V is orthonormal.
  std::size_t pack(LowRank<T> block, double allowed) {
    const LowRank<T> t{.rows = block.cols,
                       .cols = block.rows,
                       .rank = block.rank,
                       .u = std::move(block.v),
                       .v = std::move(block.u)};
    const ColumnErrors errors = share_error(t, allowed);
    pack_columns(numeric::View<const T>{t.u.data(), t.rows, t.rank, t.rows}, errors.u, Precision::adaptive,
                 low_rank_);
    const std::size_t u = low_rank_.size();
    pack_columns(numeric::View<const T>{t.v.data(), t.cols, t.rank, t.cols}, errors.v, Precision::adaptive,
                 low_rank_);
    return u;
  }

  const SlabPanel<S> panel_;
  const double eps_;
  double norm_ = 0;
  std::vector<T> block_;
  std::vector<std::byte> low_rank_;
};

std::vector<Tile> cut_into_tiles(std::span<const Index> cut, Index width) {
  std::vector<Tile> tiles;
  const Index packed_blocks = (width + kernels::tile_size - 1) / kernels::tile_size;
  for (std::size_t c = 0; c + 1 < cut.size(); ++c) {
    for (Index s = 0; s < packed_blocks; ++s) {
      const auto col = static_cast<Index>(Offset{width} * s / packed_blocks);
      const auto end = static_cast<Index>(Offset{width} * (s + 1) / packed_blocks);
      tiles.push_back({.row = cut[c], .rows = cut[c + 1] - cut[c], .col = col, .cols = end - col});
    }
  }
  return tiles;
}

}  // namespace

std::vector<Index> tile_rows(std::span<const Index> block_ends) {
  std::vector<Index> cut{0};
  Index last_end = 0;
  for (const Index end : block_ends) {
    if (end - cut.back() > kernels::tile_size && last_end > cut.back()) cut.push_back(last_end);
    const Index rows = end - cut.back(), first = cut.back();
    const Index pieces = (rows + kernels::tile_size - 1) / kernels::tile_size;
    for (Index p = 1; p < pieces; ++p) cut.push_back(first + static_cast<Index>(Offset{rows} * p / pieces));
    last_end = end;
  }
  if (last_end > cut.back()) cut.push_back(last_end);
  return cut;
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> std::vector<std::byte> in_tiles(const SlabPanel<S>& panel,
                                                                  std::span<const Index> cut, double eps) {
  TileMaker<T, S> maker(panel, eps);
  if (!maker.finite()) return {};
  std::vector<Tile> tiles = cut_into_tiles(cut, panel.width);
  const std::size_t heads = sizeof(TilesHead) + tiles.size() * sizeof(Tile);
  const std::size_t as_it_is = usize(panel.height) * usize(panel.width) * sizeof(S);
  if (heads + tiles.size() * bytes_for_calls >= as_it_is) return {};
  std::vector<std::byte> bytes(heads);
  for (Tile& tile : tiles) maker.append(tile, bytes);
  if (bytes.size() + tiles.size() * bytes_for_calls >= as_it_is) return {};
  const TilesHead head{static_cast<Index>(tiles.size()), 0};
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, tiles.data(), tiles.size() * sizeof(Tile));
  return bytes;
}

#define INSTANTIATE(S, T) \
  template std::vector<std::byte> in_tiles<T>(const SlabPanel<S>&, std::span<const Index>, double);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::lowrank
