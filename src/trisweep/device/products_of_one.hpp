#pragma once
// Products with one right-hand side. They are bound by memory bandwidth and latency: each value of the panel
// is read once, with several loads at a time, and all groups share the work, however few slabs a row block
// has. The rows of the vectors, which all threads read, are in shared memory where they fit.

#include "trisweep/device/operands.hpp"

namespace trisweep::device {

// Number of simultaneous loads of a thread in a row, and number of columns whose sums it keeps.
inline constexpr int loads_at_once = 8, columns_at_once = 8;

// Where groups store partial sums for others to add up, one value for each thread: behind the copy that
// with_rows() makes.
template <class T, class Block>
TRISWEEP_DEVICE inline T* partial_sums(const Block& block) {
  return block.template tile<T>() + Block::tile_bytes / sizeof(T) - usize(block.groups) * usize(block.lanes);
}
// Number of groups that share each of `parts`, which has `pieces` pieces, if there are enough groups.
template <class Block>
TRISWEEP_DEVICE inline Index shares_of(const Block& block, Index parts, Index pieces) {
  const Index groups = parts > 0 && parts < block.groups ? block.groups / parts : 1;
  return groups < pieces ? groups : (pieces > 1 ? pieces : 1);
}
// Range of [0, count) that belongs to a share.
TRISWEEP_DEVICE inline Range share_of(Index count, Index share, Index shares) {
  return {count * share / shares, count * (share + 1) / shares};
}

// Sum over some columns of a row, by its lane.
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

// Calls work(source) with rows(begin) ... rows(end - 1) in shared memory where they fit: loads are cheap if
// the compiler knows that they read shared memory.
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

// Rows of all slabs: each group computes a slab, or some of its columns.
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

// Columns of the panel: each group computes several at a time, over all slabs or some of them.
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

}  // namespace trisweep::device
