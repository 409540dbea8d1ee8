#include "trisweep/hmatrix/compressed_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/core/parallel_for.hpp"
#include "trisweep/hmatrix/block_exchange.hpp"
#include "trisweep/numeric/blas_threads.hpp"

namespace trisweep::hmatrix {
namespace {

template <Scalar T>
std::vector<StoredBlock> compress_share(const mpi::ParallelContext& context, const BlockSource<T>& source,
                                        const std::vector<Block>& leaves, Observer& observer) {
  const BlockShare share = share_of(source.tree, leaves, context.comm.rank(), context.comm.size());
  std::vector<std::vector<StoredBlock>> of_leaf(share.end - share.begin);
  parallel_for(context.pool, of_leaf.size(), [&](int thread, std::size_t i) {
    of_leaf[i] = source.compress(leaves[share.begin + i], static_cast<Index>(share.begin + i));
    if (thread == 0) observer.progress("assembly", double(i) / double(of_leaf.size()));
  });
  std::vector<StoredBlock> stored;
  for (auto& blocks : of_leaf) std::ranges::move(blocks, std::back_inserter(stored));
  return stored;
}

// `share_here`: the part of the matrix that is held by the ranks of this node.
template <Scalar T>
void require_memory_for(const BlockSource<T>& source, const std::vector<Block>& leaves, double share_here) {
  const double n = source.tree.size(), available = double(available_memory());
  if (n * n * sizeof(T) < available) return;
  // While rows are distributed, blocks exist twice: as they were compressed, and as products read them.
  constexpr double copies = 2.2;
  const double needed = copies * share_here * estimated_bytes(source, leaves);
  if (needed <= available) return;
  constexpr double gib = 1 << 30;
  throw Error(ErrorKind::environment,
              fmt::format("not enough memory for an H-matrix of {} rows: about {:.3g} GiB needed, {:.3g} GiB "
                          "available",
                          source.tree.size(), needed / gib, available / gib),
              "compress more (--eps), use more nodes or one with more memory, or solve a smaller problem");
}

void check(const HMatrixOptions& options) {
  const auto& [eps, cross, recompress, precision, most_rank] = options.compression;
  if (eps >= 0 && eps < 1 && options.blocks.eta > 0 && most_rank >= 0 && options.block_rows > 0) return;
  throw Error(ErrorKind::usage,
              fmt::format("an H-matrix to eps {} with eta {}, ranks of at most {} and pieces of {} rows", eps,
                          options.blocks.eta, most_rank, options.block_rows),
              "give 0 <= eps < 1, ranks that are not negative, and positive others");
}

}  // namespace

template <Scalar T>
CompressedBlocks<T> compress_blocks(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel,
                                    ClusterTree tree, const HMatrixOptions& options, Observer& observer) {
  const auto start = Clock::now();
  CompressedBlocks<T> blocks{.tree = std::move(tree), .options = options};
  const double share_here = double(context.comm.of_node().size()) / context.comm.size();
  mpi::agree_on_error(context.comm, [&] {
    check(options);
    blocks.row_blocks = make_row_blocks(blocks.tree, options.block_rows);
    blocks.leaves = make_blocks(blocks.tree, options.blocks);
    const BlockSource<T> source{kernel, blocks.tree, blocks.row_blocks, options.compression};
    numeric::require_addresses_of(context.pool.size());
    require_memory_for(source, blocks.leaves, share_here);
    blocks.stored = compress_share(context, source, blocks.leaves, observer);
  });
  blocks.seconds = context.comm.max(seconds_since(start));
  return blocks;
}

template <Scalar T>
double estimated_bytes(const BlockSource<T>& source, const std::vector<Block>& leaves) {
  constexpr std::size_t sample = 400;
  const std::size_t step = std::max<std::size_t>(leaves.size() / sample, 1);
  // The bytes of low-rank blocks are about proportional to rows + columns, those of dense ones to entries.
  struct Kind {
    double size = 0, sampled = 0, bytes = 0;
  };
  std::array<Kind, 2> kinds;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const double rows = source.tree.cluster[usize(leaves[i].row)].size();
    const double cols = source.tree.cluster[usize(leaves[i].col)].size();
    Kind& kind = kinds[leaves[i].admissible ? 1 : 0];
    const double size = leaves[i].admissible ? rows + cols : rows * cols;
    kind.size += size;
    if (i % step != step / 2) continue;
    kind.sampled += size;
    for (const StoredBlock& block : source.compress(leaves[i], 0)) kind.bytes += double(block.bytes.size());
  }
  double bytes = 0;
  for (const Kind& kind : kinds) bytes += kind.sampled > 0 ? kind.bytes / kind.sampled * kind.size : 0;
  return bytes;
}

#define INSTANTIATE(T)                                                                                \
  template CompressedBlocks<T> compress_blocks(const mpi::ParallelContext&, const IntegralKernel<T>&, \
                                               ClusterTree, const HMatrixOptions&, Observer&);        \
  template double estimated_bytes(const BlockSource<T>&, const std::vector<Block>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
