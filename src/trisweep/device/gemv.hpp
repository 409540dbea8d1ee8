#pragma once
// Products of many small packed panels with vectors, as kernels see them: a sum of A x over panels A that are
// dense blocks, or of U (V^T x), whose V^T x are sums on the way. One source for a GPU's blocks and for
// threads of the host.
//
// They run in one of two ways. In *batches*, each a launch of its own: first those of V and of dense blocks,
// then those of U, which add to y by atomic operations (Yamazaki et al., V-B); or, without atomics, a block
// of threads for each strip of rows. Or as one persistent kernel (run_merged): workers take panels of V and
// then strips by ticket, and a strip waits for the sums only after its dense blocks.

#include "trisweep/device/block.hpp"
#include "trisweep/device/packed_numbers.hpp"
#include "trisweep/device/program.hpp"

namespace trisweep::device {

enum class GemvKind : std::uint8_t {
  sums_of_x,     // sums[target ...] = P^T x[source ...]
  rows_of_sums,  // y[target ...] += P sums[source ...]
  rows_of_x,     // y[target ...] += P x[source ...]
};

struct Gemv {
  std::size_t panel;  // where it begins
  GemvKind kind;
  Index rows, cols;  // of the panel; of a padded one those that count
  Index source, target;

  constexpr bool is_transposed() const { return kind == GemvKind::sums_of_x; }
  constexpr Index outputs() const { return is_transposed() ? cols : rows; }
  constexpr Index inputs() const { return is_transposed() ? rows : cols; }
};

// Rows of y that one block of threads sums, from panels left[dense.begin, low_rank.end): dense ones first.
struct GemvStrip {
  Range rows;
  Range dense;
  Range low_rank;
};

inline constexpr Index most_groups = 8;
inline constexpr Index rows_of_part = most_groups * slab_rows;

// Rows and columns of a panel.
struct PanelShape {
  Index rows = 0;
  Index cols = 0;
};

// One launch: panels gemv[begin, end), `parts` blocks of `groups` x 32 threads for each; or, of strips, a
// block for each.
struct GemvBatch {
  Range gemv;
  bool of_strips = false;
  bool of_left = false;  // after all batches that are not
  Index parts = 1;
  Index groups = most_groups;
  Index stream = 0;
  PanelShape largest[2]{};  // of panels that are multiplied as they are, and transposed
};

// Of one device. Counters only grow (machine.hpp).
struct GemvControl {
  Count ticket = 0;
  Count summed = 0;  // panels of V
};

template <class T>
struct GemvView {
  const std::byte* panels;
  ArrayView<Gemv> gemv;
  ArrayView<GemvStrip> strip;
  Range right;  // panels of V
  const T* x;
  T* sums;
  T* y;
  GemvControl* control;
};

// Row i of P times x.
template <class T>
TRISWEEP_DEVICE inline T row_of_product(const std::byte* panel, Index i, const T* x) {
  using R = RealPart<T>;
  T sum{};
  for_each_column<T>(panel, [&](Index j, const PackedColumn<T>& column) {
    add_product(sum, times(column.step(), x[j]), column(i), R(1));
  });
  return sum;
}

// P^T x: a group has a column, whose rows its lanes share.
template <class T, class Block>
TRISWEEP_DEVICE inline void sum_columns(const GemvView<T>& v, const Gemv& g, const Block& block) {
  using R = RealPart<T>;
  const std::byte* const panel = v.panels + g.panel;
  const Index height = head_of(panel).rows;
  const T* const x = v.x + g.source;
  for_each_column<T>(panel, [&](Index j, const PackedColumn<T>& column) {
    if (j % block.groups != block.group) return;
    T sum{};
    for (Index i = block.lane; i < height; i += block.lanes) add_product(sum, x[i], column(i), R(1));
    const T whole = block.sum_over_lanes(sum);
    if (block.lane == 0 && j < g.cols) v.sums[g.target + j] = times(column.step(), whole);
  });
}

template <class T>
TRISWEEP_DEVICE inline const T* source_of(const GemvView<T>& v, const Gemv& g) {
  return (g.kind == GemvKind::rows_of_sums ? v.sums : v.x) + g.source;
}

// Part `part` of a panel, of as many as the largest of the batch has: later ones end at once (the adaptive
// subgrid truncation of MAGMA's dgemv_vbatched).
template <class T, class Block>
TRISWEEP_DEVICE inline void run_part(const GemvView<T>& v, const Gemv& g, Index part, const Block& block) {
  if (g.is_transposed()) {
    if (part == 0) sum_columns(v, g, block);
    return;
  }
  const Index first = part * rows_of_part;
  const Index last = g.rows - first < rows_of_part ? g.rows : first + rows_of_part;
  for (Index i = first + block.group * block.lanes + block.lane; i < last; i += block.groups * block.lanes)
    atomic_add(v.y + g.target + i, row_of_product(v.panels + g.panel, i, source_of(v, g)));
}

// y += (or =) the sum of some panels, in rows of a strip: a row is one thread's, and adds in one order.
template <bool first, class T, class Block>
TRISWEEP_DEVICE inline void sum_rows(const GemvView<T>& v, Range rows, Range panels, const Block& block) {
  for (Index i = rows.begin + block.group * block.lanes + block.lane; i < rows.end;
       i += block.groups * block.lanes) {
    T sum = first ? T{} : v.y[i];
    for (Index p = panels.begin; p < panels.end; ++p) {
      const Gemv& g = v.gemv[p];
      if (i >= g.target && i < g.target + g.rows)
        sum += row_of_product(v.panels + g.panel, i - g.target, source_of(v, g));
    }
    v.y[i] = sum;
  }
}

// One of a batch's blocks.
template <class T, class Block>
TRISWEEP_DEVICE inline void run_block(const GemvView<T>& v, const GemvBatch& batch, Offset number,
                                      const Block& block) {
  const Index i = batch.gemv.begin + static_cast<Index>(number / batch.parts);
  if (batch.of_strips) {
    sum_rows<true>(v, v.strip[i].rows, v.strip[i].dense, block);
    sum_rows<false>(v, v.strip[i].rows, v.strip[i].low_rank, block);
  } else {
    run_part(v, v.gemv[i], static_cast<Index>(number % batch.parts), block);
  }
}

// A worker of the merged kernel, of `workers`, in the `number`-th product. It ends: panels of V wait for
// nothing, and have been taken when a strip is.
template <class T, class Block>
TRISWEEP_DEVICE inline void run_merged(const GemvView<T>& v, Count workers, Count number,
                                       const Block& block) {
  const auto rights = static_cast<Count>(v.right.end - v.right.begin);
  const Count items = rights + static_cast<Count>(v.strip.size);
  for (;;) {
    // Each worker ends a product with a ticket of none.
    const Count item = block.find(
        [&] { return add<Scope::device>(&v.control->ticket, 1) - (number - 1) * (items + workers); });
    if (item >= items) return;
    if (item < rights) {
      sum_columns(v, v.gemv[v.right.begin + static_cast<Index>(item)], block);
      block.sync();
      if (block.leads()) add<Scope::device>(&v.control->summed, 1);
      continue;
    }
    const GemvStrip& strip = v.strip[static_cast<Index>(item - rights)];
    sum_rows<true>(v, strip.rows, strip.dense, block);
    block.find([&] {
      while (load_acquire<Scope::device>(&v.control->summed) < number * rights) block.idle();
      return Count(0);
    });
    sum_rows<false>(v, strip.rows, strip.low_rank, block);
  }
}

}  // namespace trisweep::device
