#include "trisweep/compression/tile_products.hpp"

#include <algorithm>

#include "trisweep/compression/panel_products.hpp"
#include "trisweep/compression/tiles.hpp"
#include "trisweep/kernels/products.hpp"

namespace trisweep::compression {
namespace {

using kernels::Product;

template <Scalar T>
T conjugated_if(bool conjugate, const T& value) {
  if constexpr (is_complex<T>) {
    return conjugate ? std::conj(value) : value;
  } else {
    return value;
  }
}

// One product: vectors in columns, which is how packed panels take them, in the scratch of the product. The
// product with conj(P) is the conjugate of that of P with conjugate vectors.
template <Scalar T>
class TileProduct {
 public:
  explicit TileProduct(const Product<T>& p)
      : p_(p),
        panel_(p.panel.value.template as<std::byte>()),
        side_(p.scratch),
        rows_(side_ + usize(p.panel.width) * usize(p.nrhs)),
        inner_(rows_ + usize(kernels::tile_size) * usize(p.nrhs)) {}

  // Calls store(i, k, value): row i (from panel.begin on) of column k of P side.
  template <class Store>
  void multiply(const Store& store) {
    for (Index j = 0; j < p_.panel.width; ++j) {
      for (Index k = 0; k < p_.nrhs; ++k) side_at(j, k) = conjugated(p_.side[place(j, k)]);
    }
    for_each_row_of_tiles([&](std::span<const Tile> tiles, Index begin, Index end) {
      std::fill_n(rows_, usize(end - begin) * usize(p_.nrhs), T{});
      for (const Tile& tile : tiles) add(tile, begin, end);
      for (Index i = begin; i < end; ++i) {
        for (Index k = 0; k < p_.nrhs; ++k)
          store(i - p_.panel.begin, k, conjugated(rows_[usize(k) * usize(end - begin) + usize(i - begin)]));
      }
    });
  }

  // side -= P^T rows.
  void gather() {
    std::fill_n(side_, usize(p_.panel.width) * usize(p_.nrhs), T{});
    for_each_row_of_tiles([&](std::span<const Tile> tiles, Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const T* const row = p_.rows + place(p_.panel.position[i - p_.panel.begin], 0);
        for (Index k = 0; k < p_.nrhs; ++k)
          rows_[usize(k) * usize(end - begin) + usize(i - begin)] = conjugated(row[k]);
      }
      for (const Tile& tile : tiles) add_transposed(tile, begin, end);
    });
    for (Index j = 0; j < p_.panel.width; ++j) {
      for (Index k = 0; k < p_.nrhs; ++k) p_.side[place(j, k)] -= conjugated(side_at(j, k));
    }
  }

 private:
  T conjugated(const T& value) const { return conjugated_if(p_.panel.conjugate, value); }
  std::size_t place(Index row, Index k) const { return usize(row) * usize(p_.nrhs) + usize(k); }
  T& side_at(Index j, Index k) { return side_[usize(k) * usize(p_.panel.width) + usize(j)]; }

  // Calls visit(tiles, begin, end) for the tiles that share rows, [begin, end) of which are wanted.
  template <class Visit>
  void for_each_row_of_tiles(const Visit& visit) const {
    const auto tiles = tiles_of(panel_);
    for (std::size_t t = 0; t < tiles.size();) {
      std::size_t last = t + 1;
      while (last < tiles.size() && tiles[last].row == tiles[t].row) ++last;
      const Index begin = std::max(tiles[t].row, p_.panel.begin);
      const Index end = std::min(tiles[t].row + tiles[t].rows, p_.panel.end);
      if (begin < end) visit(tiles.subspan(t, last - t), begin, end);
      t = last;
    }
  }

  // Rows [first, first + rows) of a packed panel, with both vectors in columns.
  PanelProduct<T> packed(std::int64_t at, Index first, Index rows) const {
    return {.panel = panel_ + at, .first = first, .rows = rows, .nrhs = p_.nrhs};
  }

  // rows_ += tile side_.
  void add(const Tile& tile, Index begin, Index end) {
    const Index rows = end - begin, width = p_.panel.width;
    auto product = packed(tile.first, begin - tile.row, rows);
    product.source = side_ + tile.col;
    product.source_ld = width;
    product.target = rows_;
    product.target_ld = rows;
    if (tile.rank != Tile::dense) {
      std::fill_n(inner_, usize(tile.rank) * usize(p_.nrhs), T{});
      auto inner = packed(tile.second, 0, tile.cols);
      inner.source = product.source;
      inner.source_ld = width;
      inner.target = inner_;
      inner.target_ld = tile.rank;
      panel_products<T>().add_transposed(inner);
      product.source = inner_;
      product.source_ld = tile.rank;
    }
    panel_products<T>().add(product);
  }

  // side_ += tile^T rows_.
  void add_transposed(const Tile& tile, Index begin, Index end) {
    const Index rows = end - begin, width = p_.panel.width;
    auto product = packed(tile.first, begin - tile.row, rows);
    product.source = rows_;
    product.source_ld = rows;
    product.target = side_ + tile.col;
    product.target_ld = width;
    if (tile.rank == Tile::dense) return panel_products<T>().add_transposed(product);
    std::fill_n(inner_, usize(tile.rank) * usize(p_.nrhs), T{});
    product.target = inner_;
    product.target_ld = tile.rank;
    panel_products<T>().add_transposed(product);
    auto outer = packed(tile.second, 0, tile.cols);
    outer.source = inner_;
    outer.source_ld = tile.rank;
    outer.target = side_ + tile.col;
    outer.target_ld = width;
    panel_products<T>().add(outer);
  }

  const Product<T>& p_;
  const std::byte* const panel_;
  T* const side_;   // width
  T* const rows_;   // tile_size
  T* const inner_;  // rank
};

template <Scalar T>
void scatter(const Product<T>& p) {
  TileProduct<T>(p).multiply([&](Index i, Index k, const T& value) {
    p.rows[usize(p.panel.position[i]) * usize(p.nrhs) + usize(k)] -= value;
  });
}

template <Scalar T>
void multiply(const Product<T>& p) {
  TileProduct<T>(p).multiply(
      [&](Index i, Index k, const T& value) { p.rows[usize(i) * usize(p.nrhs) + usize(k)] = value; });
}

template <Scalar T>
void gather(const Product<T>& p) {
  TileProduct<T>(p).gather();
}

}  // namespace

template <Scalar T>
kernels::Stored<T> stored_tiles(const std::byte* panel) {
  static const kernels::PanelKernels<T> kernels{
      .scatter = scatter<T>, .gather = gather<T>, .multiply = multiply<T>};
  return {panel, kernels};
}

#define INSTANTIATE(T) template kernels::Stored<T> stored_tiles(const std::byte*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression
