#pragma once
// The compressed blocks of an H-matrix before their rows are distributed (hmatrix.hpp): each rank has a
// contiguous share of them, computed from a kernel or read from files (matrix_file.hpp).

#include "trisweep/core/observer.hpp"
#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::hmatrix {

struct HMatrixOptions {
  BlockOptions blocks;
  BlockCompression compression;
  Index block_rows = 256;  // at most, of the row blocks that ranks and threads share
};

template <Scalar T>
struct CompressedBlocks {
  ClusterTree tree;
  HMatrixOptions options;
  RowBlocks row_blocks;
  std::vector<Block> leaves;        // of the block tree: every block of the matrix
  std::vector<StoredBlock> stored;  // this rank's, in order; those of lower ranks come before
  double seconds = 0;               // to compute or read them, on the slowest rank
};

// Compresses A_ij = kernel(order[i], order[j]) with the order of the tree. Collective; throws on every rank
// if an entry is not finite, any rank runs out of memory, or the matrix will exceed the available memory,
// which is estimated if the dense matrix would exceed it.
template <Scalar T>
CompressedBlocks<T> compress_blocks(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel,
                                    ClusterTree tree, const HMatrixOptions& options,
                                    Observer& observer = silent_observer());

// Estimates the bytes of all blocks from a sample of them.
template <Scalar T>
double estimated_bytes(const BlockSource<T>& source, const std::vector<Block>& leaves);

}  // namespace trisweep::hmatrix
