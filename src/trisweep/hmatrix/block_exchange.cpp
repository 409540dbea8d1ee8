#include "trisweep/hmatrix/block_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "trisweep/hmatrix/block_batch.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::hmatrix {
namespace {

// Sends one of the lists of each batch to the rank that the batch is for.
template <class V>
std::vector<mpi::ListOfRank<V>> exchanged(const mpi::Communicator& comm, std::map<Index, BlockBatch>& batches,
                                          std::vector<V> BlockBatch::*list) {
  return mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] {
                               std::vector<mpi::ListOfRank<V>> lists;
                               for (auto& [rank, batch] : batches)
                                 lists.push_back({rank, std::move(batch.*list)});
                               return lists;
                             }));
}

}  // namespace

double work_of(const ClusterTree& tree, const Block& block) {
  constexpr double usual_rank = 8;
  const double rows = tree.cluster[usize(block.row)].size(), cols = tree.cluster[usize(block.col)].size();
  return block.admissible ? usual_rank * (rows + cols) : rows * cols;
}

BlockShare share_of(const ClusterTree& tree, const std::vector<Block>& blocks, Index rank, Index ranks) {
  double total = 0;
  for (const Block& block : blocks) total += work_of(tree, block);
  BlockShare share{blocks.size(), blocks.size()};
  double before = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto owner = std::min(static_cast<Index>(before / total * ranks), ranks - 1);
    if (owner >= rank) share.begin = std::min(share.begin, b);
    if (owner > rank) share.end = std::min(share.end, b);
    before += work_of(tree, blocks[b]);
  }
  return share;
}

std::vector<Index> cut_row_blocks(const mpi::Communicator& comm, const std::vector<StoredBlock>& mine,
                                  const RowBlocks& row_blocks) {
  std::vector<double> bytes(usize(row_blocks.count()));
  for (const StoredBlock& block : mine) {
    for (Index s = 0; s < block.row_blocks(); ++s)
      bytes[usize(block.first_row_block + s)] +=
          double(block.of_row_block(block.first_row_block + s).size()) +
          double(block.v().size()) / block.row_blocks();
  }
  comm.sum(bytes);
  double total = 0;
  for (const double of_row_block : bytes) total += of_row_block;
  // A row block belongs to the rank in whose share of the bytes its middle lies.
  std::vector<Index> cut(usize(comm.size()) + 1, row_blocks.count());
  cut[0] = 0;
  double before = 0;
  for (Index s = 0; s < row_blocks.count(); ++s) {
    const double middle = before + bytes[usize(s)] / 2;
    const auto owner = std::min(static_cast<Index>(middle / total * comm.size()), comm.size() - 1);
    for (Index r = owner; r >= 1 && cut[usize(r)] > s; --r) cut[usize(r)] = s;
    before += bytes[usize(s)];
  }
  return cut;
}

std::vector<StoredBlock> exchange_blocks(const mpi::Communicator& comm, std::vector<StoredBlock> mine,
                                         const RowBlocks& row_blocks, const std::vector<Index>& cut) {
  const Index first = cut[usize(comm.rank())], last = cut[usize(comm.rank()) + 1];
  std::vector<StoredBlock> own;
  auto batches = mpi::agree_on_error(comm, [&] {
    std::map<Index, BlockBatch> by_rank;
    for (StoredBlock& block : mine) {
      const Index end = block.first_row_block + block.row_blocks();
      if (first <= block.first_row_block && end <= last) {  // most are: moved, never copied
        own.push_back(std::move(block));
        continue;
      }
      for (Index at = block.first_row_block; at < end;) {
        const auto rank = static_cast<Index>(std::ranges::upper_bound(cut, at) - cut.begin()) - 1;
        const Index part_end = std::min(cut[usize(rank) + 1], end);
        StoredBlock part = restricted(block, row_blocks, at, part_end);
        rank == comm.rank() ? own.push_back(std::move(part)) : by_rank[rank].append(part);
        at = part_end;
      }
    }
    mine.clear();
    return by_rank;
  });
  auto fields = exchanged(comm, batches, &BlockBatch::fields);
  auto pieces = exchanged(comm, batches, &BlockBatch::piece);
  auto panels = exchanged(comm, batches, &BlockBatch::panels);
  return mpi::agree_on_error(comm, [&] {
    for (std::size_t i = 0; i < fields.size(); ++i)
      std::ranges::move(to_blocks({.fields = std::move(fields[i].entry),
                                   .piece = std::move(pieces[i].entry),
                                   .panels = std::move(panels[i].entry)}),
                        std::back_inserter(own));
    std::ranges::stable_sort(own, {}, &StoredBlock::number);
    return std::move(own);
  });
}

}  // namespace trisweep::hmatrix
