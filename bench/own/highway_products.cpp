// The same loops as kernels/few_columns.hpp and many_columns.hpp. Highway includes this file once for each
// instruction set; a lambda would not be compiled for it, so that all loops over strips are written out.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "highway_products.cpp"
#include "highway_products.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "trisweep/kernels/strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace own::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using trisweep::Index;
using trisweep::slab_rows;
using trisweep::usize;
using trisweep::kernels::Panel;
using trisweep::kernels::Strip;
using trisweep::kernels::Work;

using Full = hn::ScalableTag<double>;
constexpr int full = static_cast<int>(hn::MaxLanes(Full()));
constexpr int chunk_vectors = 4;
constexpr int chunk_rows = chunk_vectors * full;
constexpr int row_tile = full == 8 ? 8 : 4;
constexpr int column_tile = 3;

template <int vectors>
HWY_INLINE void multiply_chunk(const Strip<double>& p, const double* s, double* sum) {
  const Full d;
  hn::Vec<Full> acc[2][vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) acc[0][v] = acc[1][v] = hn::Zero(d);
  Index j = 0;
  for (; j + 2 <= p.width; j += 2) {
#pragma GCC unroll 2
    for (int set = 0; set < 2; ++set) {
      const double* const column = p.value + usize(j + set) * usize(p.ld);
      const auto factor = hn::Set(d, s[j + set]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        acc[set][v] = hn::MulAdd(hn::LoadU(d, column + v * full), factor, acc[set][v]);
    }
  }
  if (j < p.width) {
    const double* const column = p.value + usize(j) * usize(p.ld);
    const auto factor = hn::Set(d, s[j]);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
      acc[0][v] = hn::MulAdd(hn::LoadU(d, column + v * full), factor, acc[0][v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) hn::StoreU(hn::Add(acc[0][v], acc[1][v]), d, sum + v * full);
}

void scatter_one(const Panel<double>& panel, Index source, const Work<double>& work) {
  const double* const s = work.at(source);
  for (Index row = panel.begin; row < panel.end;) {
    const auto strip = trisweep::kernels::strip_at<double>(panel, row);
    for (Index i = 0; i < strip.rows; i += chunk_rows) {
      const Index rows = HWY_MIN(strip.rows - i, chunk_rows);
      Strip<double> chunk = strip;
      chunk.value += i;
      double sum[chunk_rows];
      switch ((rows - 1) / full) {
        case 0:
          multiply_chunk<1>(chunk, s, sum);
          break;
        case 1:
          multiply_chunk<2>(chunk, s, sum);
          break;
        case 2:
          multiply_chunk<3>(chunk, s, sum);
          break;
        default:
          multiply_chunk<4>(chunk, s, sum);
      }
      for (Index k = 0; k < rows; ++k) *work.at(panel.position[strip.first + i + k]) -= sum[k];
    }
    row += strip.rows;
  }
}

template <int vectors>
HWY_INLINE void multiply_transposed_chunk(const Strip<double>& p, const double* g, double* side) {
  const Full d;
  hn::Vec<Full> factor[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) factor[v] = hn::LoadU(d, g + v * full);
  for (Index j = p.width; j-- > 0;) {
    const double* const column = p.value + usize(j) * usize(p.ld);
    auto acc = hn::Zero(d);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) acc = hn::MulAdd(hn::LoadU(d, column + v * full), factor[v], acc);
    side[j] -= hn::GetLane(hn::SumOfLanes(d, acc));
  }
}

void gather_one(const Panel<double>& panel, Index target, const Work<double>& work) {
  double* const side = work.at(target);
  for (Index end = panel.end; end > panel.begin;) {
    const Index row = HWY_MAX((end - 1) / slab_rows * slab_rows, panel.begin);
    const auto strip = trisweep::kernels::strip_at<double>(panel, row);
    for (Index i = (strip.rows - 1) / chunk_rows * chunk_rows; i >= 0; i -= chunk_rows) {
      const Index rows = HWY_MIN(strip.rows - i, chunk_rows);
      Strip<double> chunk = strip;
      chunk.value += i;
      double g[chunk_rows] = {};
      for (Index k = 0; k < rows; ++k) g[k] = *work.at(panel.position[strip.first + i + k]);
      switch ((rows - 1) / full) {
        case 0:
          multiply_transposed_chunk<1>(chunk, g, side);
          break;
        case 1:
          multiply_transposed_chunk<2>(chunk, g, side);
          break;
        case 2:
          multiply_transposed_chunk<3>(chunk, g, side);
          break;
        default:
          multiply_transposed_chunk<4>(chunk, g, side);
      }
    }
    end = row;
  }
}

// One tile of the product of a strip with many right-hand sides: rows [first, first + count).
struct Tile {
  const Strip<double>& strip;
  const Index* position;  // of row `first`
  const double* source;
  const Work<double>& work;
  Index first;
  Index count;
};

template <int lines, int vectors, class D>
HWY_INLINE void multiply_tile(D d, const Tile& tile, Index column) {
  constexpr int size = static_cast<int>(hn::MaxLanes(D()));
  hn::Vec<D> acc[lines][vectors];
#pragma GCC unroll 8
  for (int line = 0; line < lines; ++line) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) acc[line][v] = hn::Zero(d);
  }
  const double* s = tile.source + column;
  const double* entry = tile.strip.value + tile.first;
  for (Index j = 0; j < tile.strip.width; ++j, s += tile.work.nrhs, entry += tile.strip.ld) {
    hn::Vec<D> row[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) row[v] = hn::LoadU(d, s + v * size);
#pragma GCC unroll 8
    for (int line = 0; line < lines; ++line) {
      const auto factor = hn::Set(d, entry[line]);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) acc[line][v] = hn::MulAdd(row[v], factor, acc[line][v]);
    }
  }
#pragma GCC unroll 8
  for (int line = 0; line < lines; ++line) {
    if (line >= tile.count) return;
    double* const to = tile.work.at(tile.position[line]) + column;
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v)
      hn::StoreU(hn::Sub(hn::LoadU(d, to + v * size), acc[line][v]), d, to + v * size);
  }
}

template <int lines, class D>
HWY_INLINE void cover_columns(D d, const Tile& tile, Index column) {
  constexpr Index size = static_cast<Index>(hn::MaxLanes(D()));
  const Index n = tile.work.nrhs;
  if constexpr (size == full) {
    for (; n - column >= column_tile * size; column += column_tile * size)
      multiply_tile<lines, column_tile>(d, tile, column);
    if (n - column >= 2 * size) {
      multiply_tile<lines, 2>(d, tile, column);
      column += 2 * size;
    }
  }
  if (n - column >= size) {
    multiply_tile<lines, 1>(d, tile, column);
    column += size;
  }
  if constexpr (size > 1) {
    if (column < n) cover_columns<lines>(hn::Half<D>(), tile, column);
  }
}

void scatter_many(const Panel<double>& panel, Index source, const Work<double>& work) {
  for (Index row = panel.begin; row < panel.end;) {
    const auto strip = trisweep::kernels::strip_at<double>(panel, row);
    for (Index first = 0; first < strip.rows; first += row_tile) {
      const Index count = strip.rows - first;
      const Tile tile{strip, panel.position + strip.first + first, work.at(source), work, first, count};
      if (count > row_tile / 2)
        cover_columns<row_tile>(Full(), tile, 0);
      else
        cover_columns<row_tile / 2>(Full(), tile, 0);
    }
    row += strip.rows;
  }
}

}  // namespace
}  // namespace own::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace own {

HWY_EXPORT(scatter_one);
HWY_EXPORT(scatter_many);
HWY_EXPORT(gather_one);

void highway::scatter_product(const trisweep::kernels::Panel<double>& panel, trisweep::Index source,
                              const trisweep::kernels::Work<double>& work) {
  if (work.nrhs == 1)
    HWY_DYNAMIC_DISPATCH(scatter_one)(panel, source, work);
  else
    HWY_DYNAMIC_DISPATCH(scatter_many)(panel, source, work);
}

void highway::gather_product(const trisweep::kernels::Panel<double>& panel, trisweep::Index target,
                             const trisweep::kernels::Work<double>& work) {
  HWY_DYNAMIC_DISPATCH(gather_one)(panel, target, work);
}

}  // namespace own
#endif
