#pragma once
// Products of many small packed panels with vectors, as kernels see them: the sum of A x over panels A, which
// are dense blocks or of the form U V^T. The intermediate V^T x are called sums. One source for a GPU's
// blocks and for threads of the host.
//
// They run as one persistent kernel: workers take panels of V, and then row blocks, by ticket; a row block
// waits for the sums only after its dense blocks. (Launches of batches, as other codes make them, are in
// studies/himv.)

#include "trisweep/backend/waiting.hpp"
#include "trisweep/device/packed_numbers.hpp"
#include "trisweep/device/program.hpp"

namespace trisweep::device {

enum class GemvKind : std::uint8_t {
  sums_of_x,     // sums[target ...] = P^T x[source ...]
  rows_of_sums,  // y[target ...] += P sums[source ...]
  rows_of_x,     // y[target ...] += P x[source ...]
};

struct Gemv {
  std::size_t panel;  // byte offset of the panel
  GemvKind kind;
  Index rows, cols;  // of the panel, without padding
  Index source, target;

  constexpr bool is_transposed() const { return kind == GemvKind::sums_of_x; }
  constexpr Index outputs() const { return is_transposed() ? cols : rows; }
  constexpr Index inputs() const { return is_transposed() ? rows : cols; }
};

// Rows of y that one block of threads sums, from the panels left[dense.begin, low_rank.end): dense ones
// first.
struct GemvRows {
  Range rows;
  Range dense;
  Range low_rank;
};

// Counters of one device. They only grow (machine.hpp).
struct GemvControl {
  Count ticket = 0;
  Count summed = 0;   // panels of V that have been multiplied
  Count stalled = 0;  // 1 + the row of a row block that has waited for too long
};

template <class T>
struct GemvView {
  const std::byte* panels;
  ArrayView<Gemv> gemv;
  ArrayView<GemvRows> row_block;
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

// P^T x: each group computes columns, whose rows its lanes share.
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

// y += (or =) the sum of some panels, in the rows of a row block: each row is summed by one thread, in a
// fixed order.
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

// The merged kernel, in the `number`-th product. It cannot deadlock: panels of V wait for nothing, and all of
// them have been taken before a row block is.
template <class T>
struct MergedProduct {
  static constexpr int threads = threads_of_block, blocks_of_processor = 3;  // four would spill
  GemvView<T> v;
  Count workers, number;
  Count watchdog = nanoseconds(usual_watchdog);

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    const auto rights = static_cast<Count>(v.right.end - v.right.begin);
    const Count items = rights + static_cast<Count>(v.row_block.size);
    const auto take = [&] {
      return take_ticket(&v.control->ticket, (number - 1) * (items + workers), items);
    };
    take_items(block, take, [&](Count item) {
      if (item < rights) {
        sum_columns(v, v.gemv[v.right.begin + static_cast<Index>(item)], block);
        block.publish();
        if (block.leads()) add_release<Scope::device>(&v.control->summed, 1);
      } else {
        sum_row_block(v.row_block[static_cast<Index>(item - rights)], number * rights, block);
      }
    });
  }

 private:
  template <class Block>
  TRISWEEP_DEVICE void sum_row_block(const GemvRows& row_block, Count summed, const Block& block) const {
    sum_rows<true>(v, row_block.rows, row_block.dense, block);
    const Count left = block.find([&] {
      Waiting waiting(&v.control->summed, watchdog);
      while (!has_reached<Scope::device>(&v.control->summed, summed)) {
        block.idle();
        if (waiting.leaves(&v.control->stalled, static_cast<Count>(row_block.rows.begin))) return Count(1);
      }
      return Count(0);
    });
    if (left != 0) return;
    sum_rows<false>(v, row_block.rows, row_block.low_rank, block);
  }
};

}  // namespace trisweep::device
