#pragma once
// What products with an H-matrix have to do before any entry of it is computed: its blocks are a matter of
// the geometry, and their ranks are assumed. For predictions of matrices that are not at hand.

#include "studies/himv/launch_plan.hpp"
#include "studies/himv/launches.hpp"
#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::studies {

struct ProductLayout {
  const hmatrix::ClusterTree& tree;
  const std::vector<hmatrix::Block>& blocks;
  const hmatrix::RowBlocks& row_blocks;
  Index rank;  // of admissible blocks

  // Numbers in the rows of each row block; V counts where U does, by rows.
  std::vector<double> numbers() const;
  // The products of row blocks [first, end), in double precision. Panels have places, but are not there.
  device::GemvTasks tasks(Index first, Index end) const;
};

// hmatrix::Strips where each of `parts` begins, and the end: about as much in each.
std::vector<Index> cut_evenly(const std::vector<double>& weight, Index parts);

// A plan's kernels, as the model prices them; its numbers have so many bytes.
std::vector<Launch> launches_of(const LaunchPlan& plan, double bytes_of_number);

}  // namespace trisweep::studies
