#pragma once
// The blocks of an H-matrix, compressed, before their rows are dealt out (hmatrix.hpp): each rank has a
// contiguous share of them, whoever made them, a kernel or a file (matrix_file.hpp).

#include "trisweep/core/observer.hpp"
#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/mpi/parallel_context.hpp"

namespace trisweep::hmatrix {

struct HMatrixOptions {
  BlockOptions blocks;
  BlockCompression compression;
  Index block_rows = 256;  // of the pieces that ranks and threads share
};

template <Scalar T>
struct CompressedBlocks {
  ClusterTree tree;
  HMatrixOptions options;
  RowBlocks row_blocks;
  std::vector<Block> leaves;        // of the block tree: every block of the matrix
  std::vector<StoredBlock> stored;  // this rank's, in order; those of lower ranks come before
  double seconds = 0;               // that it took to have them, on the slowest rank
};

// A_ij = kernel(order[i], order[j]) with the order of the tree. Collective; throws on every rank when an
// entry is not finite, any runs out of memory, or the matrix will take more than there is: an estimate, made
// where the dense matrix is larger than that.
template <Scalar T>
CompressedBlocks<T> compress_blocks(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel,
                                    ClusterTree tree, const HMatrixOptions& options,
                                    Observer& observer = silent_observer());

// About as many bytes as all blocks will have, after a sample of them.
template <Scalar T>
double estimated_bytes(const BlockSource<T>& source, const std::vector<Block>& leaves);

}  // namespace trisweep::hmatrix
