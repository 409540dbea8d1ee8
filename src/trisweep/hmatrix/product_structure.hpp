#pragma once
// What products with an H-matrix have to do before any entry of it is computed: its blocks are a matter of
// the geometry, and their ranks are assumed. For predictions of matrices that are not at hand.

#include "trisweep/device/gemv_plan.hpp"
#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/model/launches.hpp"

namespace trisweep::hmatrix {

struct Structure {
  const ClusterTree& tree;
  const std::vector<Block>& blocks;
  const Strips& strips;
  Index rank;  // of admissible blocks

  // Numbers in the rows of each strip; V counts where U does, by rows.
  std::vector<double> numbers() const;
  // The products of strips [first, end), in double precision. Panels have places, but are not there.
  device::GemvTasks tasks(Index first, Index end) const;
};

// Strips where each of `parts` begins, and the end: about as much in each.
std::vector<Index> cut_evenly(const std::vector<double>& weight, Index parts);

// A plan's kernels, as the model prices them; its numbers have so many bytes.
std::vector<model::Launch> launches_of(const device::GemvPlan& plan, double bytes_of_number);

}  // namespace trisweep::hmatrix
