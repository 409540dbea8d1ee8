#pragma once
// Products of small panels in batches, each one launch: first those of V and of dense blocks, then those of
// U, which add to y by atomic operations (Yamazaki et al., V-B); or, without atomics, one block of threads
// for each row block.

#include "studies/himv/launch_plan.hpp"

namespace trisweep::studies {

using device::GemvView;

// Part `part` of a panel. A batch has as many parts per panel as its largest panel needs: superfluous blocks
// end at once (the adaptive subgrid truncation of MAGMA's dgemv_vbatched).
template <class T, class Block>
TRISWEEP_DEVICE inline void run_part(const GemvView<T>& v, const device::Gemv& g, Index part,
                                     const Block& block) {
  if (g.is_transposed()) {
    if (part == 0) device::sum_columns(v, g, block);
    return;
  }
  const Index first = part * rows_of_part;
  const Index last = g.rows - first < rows_of_part ? g.rows : first + rows_of_part;
  for (Index i = first + block.group * block.lanes + block.lane; i < last; i += block.groups * block.lanes)
    backend::atomic_add(v.y + g.target + i,
                        device::row_of_product(v.panels + g.panel, i, device::source_of(v, g)));
}

// Runs a batch, with one block for each part of each panel.
template <class T>
struct RunBatch {
  static constexpr int threads = int{most_groups} * slab_rows,
                       blocks_of_processor = 3;  // four would spill
  GemvView<T> v;
  GemvBatch batch;

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    const Index i = batch.gemv.begin + block.number / batch.parts;
    if (batch.of_row_blocks) {
      device::sum_rows<true>(v, v.row_block[i].rows, v.row_block[i].dense, block);
      device::sum_rows<false>(v, v.row_block[i].rows, v.row_block[i].low_rank, block);
    } else {
      run_part(v, v.gemv[i], block.number % batch.parts, block);
    }
  }
};

}  // namespace trisweep::studies
