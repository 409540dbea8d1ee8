#pragma once
// Products of a panel with work rows, by the threads of a block. Panels lie in slabs of 32 rows
// (core/slabs.hpp): what a block's lanes read side by side is one column of a slab.
//
// One right-hand side is bound by memory, and by how long a load takes: every number of the panel is read
// once, several of them at a time, and all groups share what there is, however few slabs a row block has. The
// rows of the vectors, which all threads read, are in the block's own memory where they fit. Many right-hand
// sides are taken a tile at a time, whose sums are in registers; the tiles read the panel again, from the
// cache. They are the tensor cores' where a block has such (tile_product.hpp).

#include "trisweep/backend/team.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/device/tile_product.hpp"

namespace trisweep::device {

// Right-hand sides whose sums a thread has in registers at most.
inline constexpr int widest_tile = tile_size;

// The vectors that a worker's products read and write.
template <class T>
struct WorkRows {
  T* row;
  const Index* position;  // of all row blocks
  T* scratch;             // of the worker
  Index nrhs;
};

// A row block of a panel of S, and work rows of T, of whose right-hand sides at most `columns` are multiplied
// at a time. (S is what the panel begins with: a number, or the head of tiles, see products_in_tiles.hpp.)
// What is the same for all threads stays in memory, and takes no register of each.
template <class S, class T, int columns = widest_tile>
struct Operands {
  const S* value;
  const RowBlock& row_block;
  const WorkRows<T>& work;
  bool conjugate;
  bool in_place = false;  // the scratch begins with the product

  TRISWEEP_DEVICE Index nrhs() const { return columns == 1 ? 1 : work.nrhs; }
  TRISWEEP_DEVICE T* at(Index work_row) const { return work.row + usize(work_row) * usize(nrhs()); }
  TRISWEEP_DEVICE T* row_side(Index i) const {
    return at(work.position[row_block.position + (i - row_block.row_begin)]);
  }
  TRISWEEP_DEVICE T* panel_side(Index j) const { return at(row_block.at + j); }
  TRISWEEP_DEVICE T* scratch() const {
    return work.scratch + (in_place ? usize(row_block.width) * usize(nrhs()) : 0);
  }
};

// The rows of one slab that belong to a row block.
template <class S>
struct Slab {
  const S* value;  // of row 0 of the slab
  Index ld;
  Index first;  // row of the panel
  Index begin;  // rows [begin, end) of the slab
  Index end;
};

template <class S, class T, int most>
TRISWEEP_DEVICE inline Slab<S> slab_of(const Operands<S, T, most>& o, Index number) {
  const RowBlock& s = o.row_block;
  const Index first = (s.row_begin / slab_rows + number) * slab_rows;
  const Index rows = s.height - first < slab_rows ? s.height - first : slab_rows;
  const Index last = s.row_end - first < rows ? s.row_end - first : rows;
  return {o.value + usize(first) * usize(s.width), rows, first, s.row_begin > first ? s.row_begin - first : 0,
          last};
}
TRISWEEP_DEVICE inline Index slabs_of(const RowBlock& s) {
  return (s.row_end + slab_rows - 1) / slab_rows - s.row_begin / slab_rows;
}

// Calls visit(constant tile, first column) for tiles that cover all right-hand sides.
template <int most, class Visit>
TRISWEEP_DEVICE inline void for_each_tile(Index nrhs, Index column, const Visit& visit) {
  for (; nrhs - column >= most; column += most) visit(std::integral_constant<int, most>(), column);
  if constexpr (most > 1) {
    if (column < nrhs) for_each_tile<most / 2>(nrhs, column, visit);
  }
}
// Whether products of T are made by tiles, where there are several right-hand sides.
template <class Block, class T, int columns>
inline constexpr bool by_tiles = columns == tile_size&& Block::template multiplies_tiles<T>;

// Of one right-hand side: loads of a thread that are under way at a time in a row, and columns whose sums it
// has.
inline constexpr int loads_at_once = 8, columns_at_once = 8;

// Where groups leave what others add up, a number for each thread: behind what TileRows copies.
template <class T, class Block>
TRISWEEP_DEVICE inline T* partial_sums(const Block& block) {
  return block.template tile<T>() + Block::tile_bytes / sizeof(T) - usize(block.groups) * usize(block.lanes);
}
// How many groups share each of `parts`, which has so many pieces, when there are groups enough.
template <class Block>
TRISWEEP_DEVICE inline Index shares_of(const Block& block, Index parts, Index pieces) {
  const Index groups = parts > 0 && parts < block.groups ? block.groups / parts : 1;
  return groups < pieces ? groups : (pieces > 1 ? pieces : 1);
}
// The part of [0, count) that a share has.
TRISWEEP_DEVICE inline Range share_of(Index count, Index share, Index shares) {
  return {count * share / shares, count * (share + 1) / shares};
}

// A tile's part of rows(begin) ... rows(end - 1). Made and used by all threads of a block.
template <int tile, class T, class Block, class Rows>
class TileRows {
 public:
  TRISWEEP_DEVICE TileRows(const Block& block, const Rows& rows, Range range, Index column)
      : rows_(rows), begin_(range.begin), column_(column) {
    const auto size = usize(range.end - range.begin) * usize(tile);
    if (tile == 1 || size * sizeof(T) > Block::tile_bytes) return;
    T* const copy = block.template tile<T>();
    block.sync();  // who reads the tile before has done so
    for_each(block, size, [&](std::size_t e) {
      copy[e] = rows(range.begin + static_cast<Index>(e / usize(tile)))[usize(column) + e % usize(tile)];
    });
    block.sync();
    copy_ = copy;
  }
  TRISWEEP_DEVICE const T* operator()(Index i) const {
    return copy_ != nullptr ? copy_ + usize(i - begin_) * usize(tile) : rows_(i) + column_;
  }

 private:
  const Rows& rows_;
  Index begin_;
  Index column_;
  const T* copy_ = nullptr;
};

template <class S, class T, int most>
TRISWEEP_DEVICE inline RealPart<T> sign_of(const Operands<S, T, most>& o) {
  return o.conjugate ? RealPart<T>(-1) : RealPart<T>(1);
}

// Rows of a slab with a tile of right-hand sides, whose rows are source(j): a lane has a row.
template <int tile, class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slab(const Operands<S, T, most>& o, const Slab<S>& slab,
                                          const Block& block, const Source& source, const Put& put) {
  for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
    T sum[tile] = {};
    const S* value = slab.value + i;
    for (Index j = 0; j < o.row_block.width; ++j, value += slab.ld) {
      const T* const s = source(j);
      const T factor = widened<T>(*value);
      for (int r = 0; r < tile; ++r) add_product(sum[r], factor, s[r], sign_of(o));
    }
    for (int r = 0; r < tile; ++r) put(slab.first + i, r, sum[r]);
  }
}

// The same for one right-hand side and some of the columns, by the lane of that row.
template <class S, class T, int most, class Source>
TRISWEEP_DEVICE inline T multiply_row(const Operands<S, T, most>& o, const S* value, Index ld, Range columns,
                                      const Source& source) {
  T sum{};
  value += usize(columns.begin) * usize(ld);
  for (Index j = columns.begin; j < columns.end;
       j += loads_at_once, value += usize(loads_at_once) * usize(ld)) {
    S loaded[loads_at_once];
    unrolled<loads_at_once>(
        [&](int k) { loaded[k] = j + k < columns.end ? value[usize(k) * usize(ld)] : S{}; });
    unrolled<loads_at_once>([&](int k) {
      if (j + k < columns.end) add_product(sum, widened<T>(loaded[k]), source(j + k), sign_of(o));
    });
  }
  return sum;
}

// Calls work(source) with the rows rows(begin) ... rows(end - 1) of one right-hand side, in the block's own
// memory where they fit: as what they are read from is known then, the loads are cheap.
template <class T, class Block, class Rows, class Work>
TRISWEEP_DEVICE inline void with_rows(const Block& block, const Rows& rows, Range range, const Work& work) {
  const auto size = usize(range.end - range.begin);
  if ((size + usize(block.groups) * usize(block.lanes)) * sizeof(T) > Block::tile_bytes)
    return work([&](Index i) { return rows(i)[0]; });
  T* const copy = block.template tile<T>();
  for_each(block, size, [&](std::size_t i) { copy[i] = rows(range.begin + static_cast<Index>(i))[0]; });
  block.sync();
  work([&](Index i) { return copy[i - range.begin]; });
}

// Rows of all slabs for one right-hand side: a group has a slab, or some of its columns.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slabs(const Operands<S, T, most>& o, const Block& block,
                                           const Source& source, const Put& put) {
  const Index width = o.row_block.width, slabs = slabs_of(o.row_block),
              shares = shares_of(block, slabs, width / columns_at_once + 1);
  T* const partial = partial_sums<T>(block);
  for (Index turn = block.group; turn < slabs * shares; turn += block.groups) {
    const Slab<S> slab = slab_of(o, turn / shares);
    const Range columns = share_of(width, turn % shares, shares);
    for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
      const T sum = multiply_row(o, slab.value + i, slab.ld, columns, source);
      if (shares == 1) {
        put(slab.first + i, 0, sum);
      } else {
        partial[turn * block.lanes + i - slab.begin] = sum;
      }
    }
  }
  if (shares == 1) return;
  block.sync();
  for (Index number = block.group; number < slabs; number += block.groups) {
    const Slab<S> slab = slab_of(o, number);
    for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
      T sum{};
      for (Index share = 0; share < shares; ++share)
        sum += partial[(number * shares + share) * block.lanes + i - slab.begin];
      put(slab.first + i, 0, sum);
    }
  }
}

// Tiles of right-hand sides whose sums a group has at a time.
template <class T>
inline constexpr int tiles_at_once = sizeof(T) == sizeof(double) ? 2 : 1;

// The same by tiles for as many right-hand sides as there are: a group has a slab, or a part of it, and some
// of them.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slabs_by_tiles(const Operands<S, T, most>& o, const Block& block,
                                                    const Source& source, const Put& put) {
  constexpr int beside = tiles_at_once<T>, tiles = 2 * beside, parts = slab_rows / (tiles * tile_size);
  const auto warp = block.warp();
  using Warp = std::remove_const_t<decltype(warp)>;
  const Index slabs = slabs_of(o.row_block), width = o.row_block.width;
  const Index turns = parts * slabs * ((o.nrhs() + beside * tile_size - 1) / (beside * tile_size));
  for (Index turn = block.group; turn < turns; turn += block.groups) {
    const Slab<S> slab = slab_of(o, turn / parts % slabs);
    const Index above = turn % parts * (tiles * tile_size),
                column = turn / parts / slabs * (beside * tile_size);
    const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
    TileSum<Warp, T> sum[beside][tiles];
    for (Index first = 0; first < width; first += tile_depth) {
      typename Warp::template Register<T> a, b[beside];
      unrolled<beside>([&](int r) {
        warp.each([&](int lane) {
          const TilePlace at = place_in_b(lane);
          const Index c = column + r * tile_size + at.column;
          b[r][usize(lane)] = first + at.row < width && c < o.nrhs() ? source(first + at.row)[c] : T{};
        });
      });
      unrolled<tiles>([&](int t) {
        warp.each([&](int lane) {
          const TilePlace at = place_in_a(lane);
          const Index i = above + t * tile_size + at.row, j = first + at.column;
          const bool is_in = is_row(i) && j < width;
          a[usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
        });
        unrolled<beside>([&](int r) { sum[r][t].add(warp, a, b[r], sign_of(o)); });
      });
    }
    unrolled<beside>([&](int r) {
      unrolled<tiles>([&](int t) {
        warp.each([&](int lane) {
          for (int share = 0; share < tile_shares; ++share) {
            const TilePlace at = place_in_c(lane, share);
            const Index i = above + t * tile_size + at.row, c = column + r * tile_size + at.column;
            if (is_row(i) && c < o.nrhs()) put(slab.first + i, c, sum[r][t].at(lane, share));
          }
        });
      });
    });
  }
}

// Calls put(i, column, sum) with sum = (P s)(i, column) for all rows i of the row block.
template <class S, class T, int most, class Block, class Put>
TRISWEEP_DEVICE inline void multiply(const Operands<S, T, most>& o, const Block& block, const Put& put) {
  const auto panel_side = [&](Index j) { return o.panel_side(j); };
  if constexpr (most == 1)
    return with_rows<T>(block, panel_side, {0, o.row_block.width},
                        [&](const auto& source) { multiply_slabs(o, block, source, put); });
  if constexpr (by_tiles<Block, T, most>) return multiply_slabs_by_tiles(o, block, panel_side, put);
  for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
    const TileRows<tile, T, Block, decltype(panel_side)> source(block, panel_side, {0, o.row_block.width},
                                                                column);
    const auto put_here = [&](Index i, Index r, T sum) { put(i, column + r, sum); };
    for (Index number = block.group; number < slabs_of(o.row_block); number += block.groups)
      multiply_slab<tile>(o, slab_of(o, number), block, source, put_here);
  });
}

// Columns of the panel, times a tile of right-hand sides, whose rows are source(i): a lane has a row of each
// slab, a group some columns.
template <int tile, class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns(const Operands<S, T, most>& o, const Block& block,
                                             const Source& source, const Put& put) {
  for (Index j = block.group; j < o.row_block.width; j += block.groups) {
    T sum[tile] = {};
    for (Index number = 0; number < slabs_of(o.row_block); ++number) {
      const Slab<S> slab = slab_of(o, number);
      const S* const value = slab.value + usize(j) * usize(slab.ld);
      for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
        const T* const g = source(slab.first + i);
        const T factor = widened<T>(value[i]);
        for (int r = 0; r < tile; ++r) add_product(sum[r], factor, g[r], sign_of(o));
      }
    }
    unrolled<tile>([&](int r) {
      const T whole = block.sum_over_lanes(sum[r]);
      if (block.lane == 0) put(j, r, whole);
    });
  }
}

// The same for one right-hand side: a group has several columns at a time, of all slabs or of some.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns_of_one(const Operands<S, T, most>& o, const Block& block,
                                                    const Source& source, const Put& put) {
  constexpr int columns = columns_at_once;
  const Index width = o.row_block.width, slabs = slabs_of(o.row_block),
              parts = (width + columns - 1) / columns, shares = shares_of(block, parts, slabs);
  T* const partial = partial_sums<T>(block);
  for (Index turn = block.group; turn < parts * shares; turn += block.groups) {
    const Index first = turn / shares * columns;
    const Range share = share_of(slabs, turn % shares, shares);
    T sum[columns] = {};
    for (Index number = share.begin; number < share.end; ++number) {
      const Slab<S> slab = slab_of(o, number);
      const S* const value = slab.value + usize(first) * usize(slab.ld);
      for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
        S loaded[columns];
        unrolled<columns>([&](int k) {
          loaded[k] = first + k < width ? value[usize(k) * usize(slab.ld) + usize(i)] : S{};
        });
        const T g = source(slab.first + i);
        unrolled<columns>([&](int k) { add_product(sum[k], widened<T>(loaded[k]), g, sign_of(o)); });
      }
    }
    block.sums_over_lanes(sum, [&](Index k, T whole) {
      if (first + k >= width) return;
      if (shares == 1) {
        put(first + k, 0, whole);
      } else {
        partial[turn * columns + k] = whole;
      }
    });
  }
  if (shares == 1) return;
  block.sync();
  for_each(block, usize(width), [&](std::size_t j) {
    const Index part = static_cast<Index>(j) / columns, k = static_cast<Index>(j) % columns;
    T sum{};
    for (Index share = 0; share < shares; ++share) sum += partial[(part * shares + share) * columns + k];
    put(static_cast<Index>(j), 0, sum);
  });
}

// The same by tiles for as many right-hand sides as there are: a group has some of them, and some columns.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns_by_tiles(const Operands<S, T, most>& o, const Block& block,
                                                      const Source& source, const Put& put) {
  constexpr int beside = tiles_at_once<T>;
  const auto warp = block.warp();
  using Warp = std::remove_const_t<decltype(warp)>;
  const Index width = o.row_block.width, parts = (width + beside * tile_size - 1) / (beside * tile_size);
  const Index turns = parts * ((o.nrhs() + beside * tile_size - 1) / (beside * tile_size));
  for (Index turn = block.group; turn < turns; turn += block.groups) {
    const Index first = turn % parts * (beside * tile_size), column = turn / parts * (beside * tile_size);
    TileSum<Warp, T> sum[beside][beside];
    for (Index number = 0; number < slabs_of(o.row_block); ++number) {
      const Slab<S> slab = slab_of(o, number);
      const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
      for (Index above = slab.begin / tile_depth * tile_depth; above < slab.end; above += tile_depth) {
        typename Warp::template Register<T> a[beside], b[beside];
        unrolled<beside>([&](int r) {
          warp.each([&](int lane) {
            const TilePlace of_a = place_in_a(lane), of_b = place_in_b(lane);
            const Index i = above + of_a.column, j = first + r * tile_size + of_a.row;
            const bool is_in = is_row(i) && j < width;
            a[r][usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
            const Index c = column + r * tile_size + of_b.column;
            b[r][usize(lane)] =
                is_row(above + of_b.row) && c < o.nrhs() ? source(slab.first + above + of_b.row)[c] : T{};
          });
        });
        unrolled<beside>(
            [&](int r) { unrolled<beside>([&](int t) { sum[r][t].add(warp, a[t], b[r], sign_of(o)); }); });
      }
    }
    unrolled<beside>([&](int r) {
      unrolled<beside>([&](int t) {
        warp.each([&](int lane) {
          for (int share = 0; share < tile_shares; ++share) {
            const TilePlace at = place_in_c(lane, share);
            const Index j = first + t * tile_size + at.row, c = column + r * tile_size + at.column;
            if (j < width && c < o.nrhs()) put(j, c, sum[r][t].at(lane, share));
          }
        });
      });
    });
  }
}

// Calls put(j, column, sum) with sum = (P^T g)(j, column) for all columns j of the panel, where g(i) =
// rows(i).
template <class S, class T, int most, class Block, class Rows, class Put>
TRISWEEP_DEVICE inline void multiply_transposed(const Operands<S, T, most>& o, const Block& block,
                                                const Rows& rows, const Put& put) {
  if constexpr (most == 1)
    return with_rows<T>(block, rows, {o.row_block.row_begin, o.row_block.row_end},
                        [&](const auto& source) { multiply_columns_of_one(o, block, source, put); });
  if constexpr (by_tiles<Block, T, most>) return multiply_columns_by_tiles(o, block, rows, put);
  for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
    const Range range{o.row_block.row_begin, o.row_block.row_end};
    const TileRows<tile, T, Block, Rows> source(block, rows, range, column);
    const auto put_here = [&](Index j, Index r, T sum) { put(j, column + r, sum); };
    multiply_columns<tile>(o, block, source, put_here);
  });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void scatter(const Operands<S, T, most>& o, const Block& block) {
  multiply(o, block, [&](Index i, Index column, T sum) { o.row_side(i)[column] -= sum; });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void gather(const Operands<S, T, most>& o, const Block& block) {
  multiply_transposed(
      o, block, [&](Index i) { return o.row_side(i); },
      [&](Index j, Index column, T sum) { o.panel_side(j)[column] -= sum; });
}

// Of a square panel, by way of the scratch, whose first height x nrhs numbers this takes.
template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void multiply_in_place(Operands<S, T, most> o, bool by_rows, const Block& block) {
  T* const made = o.scratch();
  o.in_place = true;
  const auto keep = [&](Index i, Index column, T sum) {
    made[usize(i) * usize(o.nrhs()) + usize(column)] = sum;
  };
  if (by_rows) {
    multiply_transposed(
        o, block, [&](Index i) { return o.panel_side(i); }, keep);
  } else {
    multiply(o, block, keep);
  }
  block.sync();
  T* const to = o.panel_side(0);
  for_each(block, usize(o.row_block.width) * usize(o.nrhs()), [&](std::size_t i) { to[i] = made[i]; });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void multiply(Multiply way, const Operands<S, T, most>& o, const Block& block) {
  switch (way) {
    case Multiply::scatter:
      return scatter(o, block);
    case Multiply::gather:
      return gather(o, block);
    default:
      return multiply_in_place(o, way == Multiply::in_place_by_rows, block);
  }
}

}  // namespace trisweep::device
