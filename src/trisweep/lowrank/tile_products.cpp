#include "trisweep/lowrank/tile_products.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "trisweep/kernels/positions.hpp"
#include "trisweep/kernels/products.hpp"
#include "trisweep/lowrank/panel_products.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::lowrank {
namespace {

using kernels::Product;

// With more real right-hand sides each tile is unpacked and multiplied by the kernels for uncompressed
// panels: unpacking takes little time beside the products.
constexpr Index few = 4;

template <Scalar T>
T conjugated_if(bool conjugate, const T& value) {
  if constexpr (is_complex<T>) {
    return conjugate ? std::conj(value) : value;
  } else {
    return value;
  }
}

// One product, with one vector or more, which are copied to columns in the scratch of the product, as
// products with packed panels require. The product with conj(P) is the conjugate of that of P with conjugate
// vectors.
template <Scalar T, bool one>
class TileProduct {
 public:
  explicit TileProduct(const Product<T>& p)
      : p_(p),
        panel_(p.panel.value.template as<std::byte>()),
        side_(p.scratch),
        rows_(side_ + usize(p.panel.width) * usize(nrhs())),
        inner_(rows_ + usize(kernels::tile_size) * usize(nrhs())) {}

  // rows -= P side.
  void scatter() {
    for_each_result(
        [&](Index i, Index k, const T& value) { p_.rows[place(p_.panel.position[i], k)] -= value; });
  }

  // rows = P side, for rows without positions.
  void multiply() {
    for_each_result([&](Index i, Index k, const T& value) { p_.rows[place(i, k)] = value; });
  }

  // side -= P^T rows, in a backward sweep.
  void gather() {
    backward_ = true;
    const std::byte* const before = panel_before(panel_);
    fetch_head(before);
    std::fill_n(side_, usize(p_.panel.width) * usize(nrhs()), T{});
    for_each_row_of_tiles([&](std::span<const Tile> tiles, Index begin, Index end) {
      fetch_positions(begin, end);
      const Index* const position = p_.panel.position + (begin - p_.panel.begin);
      const T* const rows = p_.rows;
      const Index count = end - begin;
      for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < nrhs(); ++k)
          rows_[usize(k) * usize(count) + usize(i)] = conjugated(rows[place(position[i], k)]);
      }
      for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
        const bool is_first = &*tile == tiles_of(panel_).data();
        fetch_head(panel_ + tile->second);
        fetch_head(is_first ? before + tiles_of(before).back().first : panel_ + (&*tile - 1)->first);
        add_transposed(*tile, begin, end);
      }
    });
    for (Index j = 0; j < p_.panel.width; ++j) {
      for (Index k = 0; k < nrhs(); ++k) p_.side[place(j, k)] -= conjugated(side_at(j, k));
    }
  }

 private:
  Index nrhs() const { return one ? 1 : p_.nrhs; }
  T conjugated(const T& value) const { return conjugated_if(p_.panel.conjugate, value); }
  std::size_t place(Index row, Index k) const { return usize(row) * usize(nrhs()) + usize(k); }
  T& side_at(Index j, Index k) { return side_[usize(k) * usize(p_.panel.width) + usize(j)]; }

  // Calls store(i, k, value): row i (from panel.begin on) of column k of P side.
  template <class Store>
  void for_each_result(const Store& store) {
    for (Index j = 0; j < p_.panel.width; ++j) {
      for (Index k = 0; k < nrhs(); ++k) side_at(j, k) = conjugated(p_.side[place(j, k)]);
    }
    for_each_row_of_tiles([&](std::span<const Tile> tiles, Index begin, Index end) {
      fetch_positions(begin, end);
      std::fill_n(rows_, usize(end - begin) * usize(nrhs()), T{});
      for (const Tile& tile : tiles) add(tile, begin, end);
      for (Index i = begin; i < end; ++i) {
        for (Index k = 0; k < nrhs(); ++k)
          store(i - p_.panel.begin, k, conjugated(rows_[usize(k) * usize(end - begin) + usize(i - begin)]));
      }
    });
  }

  // Prefetches positions ahead of those of rows [begin, end) in the direction of the sweep.
  TRISWEEP_INLINE void fetch_positions(Index begin, Index end) const {
    if (p_.panel.position == nullptr) return;
    const Index ahead = backward_ ? -kernels::positions_ahead : kernels::positions_ahead;
    kernels::fetch_positions(p_.panel.position + (begin - p_.panel.begin) + ahead, end - begin);
  }

  // Calls visit(tiles, begin, end) for each row of tiles, whose rows [begin, end) are in the product.
  template <class Visit>
  void for_each_row_of_tiles(const Visit& visit) const {
    const auto tiles = tiles_of(panel_);
    const std::size_t in_row = std::size_t(std::ranges::count(tiles, tiles.front().row, &Tile::row));
    const std::size_t rows = tiles.size() / in_row;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = tiles.subspan((backward_ ? rows - 1 - r : r) * in_row, in_row);
      const Index begin = std::max(row.front().row, p_.panel.begin);
      const Index end = std::min(row.front().row + row.front().rows, p_.panel.end);
      if (begin < end) visit(row, begin, end);
    }
  }

  // Prefetches a head that a backward sweep reaches soon: it reads, and prefetches, numbers from their end.
  static TRISWEEP_INLINE void fetch_head(const std::byte* head) {
    constexpr std::size_t usual_bytes = 192;  // with the columns' bits and steps
    kernels::fetch(head, usual_bytes);
  }

  // Vectors in columns.
  struct Columns {
    T* first;
    Index ld;
  };
  // With rows [first, first + rows) of a packed panel.
  PanelProduct<T> product(std::int64_t at, Index first, Index rows, const Columns& source,
                          const Columns& target) const {
    return {panel_ + at, first, rows, source.first, source.ld, target.first, target.ld, nrhs(), backward_};
  }
  // The vectors between the products with U and V, set to zero.
  Columns cleared_inner(Index rank) const {
    std::fill_n(inner_, usize(rank) * usize(nrhs()), T{});
    return {inner_, rank};
  }

  // rows_ += tile side_.
  void add(const Tile& tile, Index begin, Index end) const {
    const Index rows = end - begin;
    Columns source{side_ + tile.col, p_.panel.width};
    if (tile.rank != Tile::dense) {
      const Columns inner = cleared_inner(tile.rank);
      panel_products<T>().add_transposed(product(tile.second, 0, tile.cols, source, inner));
      source = inner;
    }
    panel_products<T>().add(product(tile.first, begin - tile.row, rows, source, {rows_, rows}));
  }

  // side_ += tile^T rows_.
  void add_transposed(const Tile& tile, Index begin, Index end) const {
    const Index rows = end - begin;
    const bool dense = tile.rank == Tile::dense;
    const Columns side{side_ + tile.col, p_.panel.width}, target = dense ? side : cleared_inner(tile.rank);
    panel_products<T>().add_transposed(product(tile.first, begin - tile.row, rows, {rows_, rows}, target));
    if (!dense) panel_products<T>().add(product(tile.second, 0, tile.cols, target, side));
  }

  const Product<T>& p_;
  const std::byte* const panel_;
  T* const side_;   // width
  T* const rows_;   // tile_size
  T* const inner_;  // rank
  bool backward_ = false;
};

// One product with many right-hand sides, which stay in rows.
template <Scalar T>
class UnpackedProduct {
 public:
  explicit UnpackedProduct(const Product<T>& p)
      : p_(p),
        panel_(p.panel.value.template as<std::byte>()),
        tile_(p.scratch),
        inner_(tile_ + usize(kernels::tile_size) * usize(kernels::tile_size)),
        scratch_(inner_ + usize(kernels::tile_size) * usize(p.nrhs)) {}

  // rows -= P side.
  void scatter() const {
    for_each_tile([&](const Tile& tile, Index begin, Index end) {
      T* source = side(tile);
      if (tile.rank != Tile::dense) {
        std::fill_n(inner_, size(tile.rank), T{});
        apply(whole(tile.second, tile.cols, tile.rank), source, inner_, Way::gather);
        negate_inner(tile.rank);
        source = inner_;
      }
      apply(rows_of(tile, begin, end), rows(begin), source, Way::scatter);
    });
  }

  // side -= P^T rows.
  void gather() const {
    for_each_tile([&](const Tile& tile, Index begin, Index end) {
      if (tile.rank == Tile::dense)
        return apply(rows_of(tile, begin, end), rows(begin), side(tile), Way::gather);
      std::fill_n(inner_, size(tile.rank), T{});
      apply(rows_of(tile, begin, end), rows(begin), inner_, Way::gather);
      negate_inner(tile.rank);
      apply(whole(tile.second, tile.cols, tile.rank), side(tile), inner_, Way::scatter);
    });
  }

 private:
  enum class Way { scatter, gather };

  std::size_t size(Index rows) const { return usize(rows) * usize(p_.nrhs); }
  T* side(const Tile& tile) const { return p_.side + size(tile.col); }
  // Rows with positions count from the work vector's first, others from the panel's.
  T* rows(Index begin) const {
    return p_.panel.position != nullptr ? p_.rows : p_.rows + size(begin - p_.panel.begin);
  }

  template <class Visit>
  void for_each_tile(const Visit& visit) const {
    for (const Tile& tile : tiles_of(panel_)) {
      const Index begin = std::max(tile.row, p_.panel.begin),
                  end = std::min(tile.row + tile.rows, p_.panel.end);
      if (begin < end) visit(tile, begin, end);
    }
  }

  // The tile, or its U, with the rows of the product.
  kernels::Panel<T> rows_of(const Tile& tile, Index begin, Index end) const {
    auto panel = whole(tile.first, tile.rows, tile.rank == Tile::dense ? tile.cols : tile.rank);
    if (p_.panel.position != nullptr) panel.position = p_.panel.position + (begin - p_.panel.begin);
    panel.begin = begin - tile.row;
    panel.end = end - tile.row;
    return panel;
  }
  // A packed panel, unpacked; its rows are consecutive.
  kernels::Panel<T> whole(std::int64_t at, Index rows, Index cols) const {
    panel_products<T>().unpack(panel_ + at, tile_);
    return {.value = static_cast<const T*>(tile_),
            .position = in_order.data(),
            .height = rows,
            .width = cols,
            .begin = 0,
            .end = rows,
            .conjugate = p_.panel.conjugate};
  }

  void apply(const kernels::Panel<T>& panel, T* rows, T* side, Way way) const {
    const Product<T> product{panel, rows, side, scratch_, p_.nrhs};
    const auto& kernels = panel.value.kernels();
    way == Way::scatter ? kernels.scatter(product) : kernels.gather(product);
  }

  void negate_inner(Index rank) const {
    std::transform(inner_, inner_ + size(rank), inner_, std::negate<>{});
  }

  static constexpr auto in_order = [] {
    std::array<Index, kernels::tile_size> numbers{};
    for (Index i = 0; i < kernels::tile_size; ++i) numbers[usize(i)] = i;
    return numbers;
  }();

  const Product<T>& p_;
  const std::byte* const panel_;
  T* const tile_;   // values of a tile, of U or of V
  T* const inner_;  // rank
  T* const scratch_;
};

template <Scalar T>
bool has_few(const Product<T>& p) {
  return p.nrhs * (is_complex<T> ? 2 : 1) <= few;
}

template <Scalar T, class Visit>
void with_tiles(const Product<T>& p, const Visit& visit) {
  p.nrhs == 1 ? visit(TileProduct<T, true>(p)) : visit(TileProduct<T, false>(p));
}

template <Scalar T>
void scatter(const Product<T>& p) {
  if (!has_few(p)) return UnpackedProduct<T>(p).scatter();
  with_tiles(p, [](auto tiles) { tiles.scatter(); });
}

// rows = P side, for rows without positions.
template <Scalar T>
void multiply(const Product<T>& p) {
  if (has_few(p)) return with_tiles(p, [](auto tiles) { tiles.multiply(); });
  kernels::Panel<T> panel = p.panel;
  panel.position = nullptr;
  const std::size_t count = usize(panel.end - panel.begin) * usize(p.nrhs);
  std::fill_n(p.rows, count, T{});
  UnpackedProduct<T>({panel, p.rows, p.side, p.scratch, p.nrhs}).scatter();
  std::transform(p.rows, p.rows + count, p.rows, std::negate<>{});
}

template <Scalar T>
void gather(const Product<T>& p) {
  if (!has_few(p)) return UnpackedProduct<T>(p).gather();
  with_tiles(p, [](auto tiles) { tiles.gather(); });
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

}  // namespace trisweep::lowrank
