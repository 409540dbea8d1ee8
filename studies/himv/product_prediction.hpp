#pragma once
// Predicts the time of products with an H-matrix, and of iterations of BiCGStab, on the GPUs of a machine,
// from the geometry alone.

#include <optional>

#include "studies/himv/iteration.hpp"
#include "studies/himv/product_structure.hpp"

namespace trisweep::studies {

struct PredictionOptions {
  hmatrix::BlockOptions blocks;
  Index leaf_size = 15;    // HACApK's
  Index rank = 5;          // of low-rank blocks: HACApK's are 4.7 on average at eps 1e-3
  Index block_rows = 256;  // 0: blocks are not split
  GemvOptions gemv{.merged = true};
  Processes processes;
  IterationChoice iteration;
  std::optional<double> latency;  // between nodes, in place of the machine's
};

struct ProductPrediction {
  double numbers = 0;      // values of the whole matrix
  double numbers_max = 0;  // values of the process with most
  GemvCounts gemv;         // of that process, over all its GPUs
  double product_seconds = 0;
  double least_seconds = 0;  // for reading that process's values at the memory's bandwidth
  IterationTime iteration;
};

// Throws Error(usage) if the machine has no description of its GPUs, or too few on a node.
ProductPrediction predict_product(const std::vector<hmatrix::Point>& points, model::Machine machine,
                                  const PredictionOptions& options);

}  // namespace trisweep::studies
