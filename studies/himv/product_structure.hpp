#pragma once
// The work of products with an H-matrix before any entry is computed: its blocks follow from the geometry,
// and their ranks are assumed. For predictions of matrices that are not available.

#include "studies/himv/launch_plan.hpp"
#include "studies/himv/launches.hpp"
#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::studies {

struct ProductLayout {
  const hmatrix::ClusterTree& tree;
  const std::vector<hmatrix::Block>& blocks;
  const hmatrix::RowBlocks& row_blocks;
  Index rank;  // of admissible blocks

  // Number of values in the rows of each row block; those of V are counted with U, in proportion to rows.
  std::vector<double> numbers() const;
  // The products of row blocks [first, end), in double precision. Panels have offsets, but no data.
  device::GemvTasks tasks(Index first, Index end) const;
};

// Row blocks at which each of `parts` parts begins, and the end: about the same weight in each.
std::vector<Index> cut_evenly(const std::vector<double>& weight, Index parts);

// A plan's kernels, as the model prices them; a value has `bytes_of_number` bytes.
std::vector<Launch> launches_of(const LaunchPlan& plan, double bytes_of_number);

}  // namespace trisweep::studies
