#include "trisweep/hmatrix/block_exchange.hpp"

#include <algorithm>
#include <iterator>

#include "trisweep/hmatrix/block_batch.hpp"

namespace trisweep::hmatrix {
namespace {

// This rank's list for the other's; the one of lower rank sends first.
template <class V>
std::vector<V> swapped(const mpi::Communicator& comm, Index other, const std::vector<V>& list) {
  constexpr auto tag = mpi::Tag::blocks;
  const auto send = [&] {
    const std::size_t size = list.size();
    comm.send_bytes(&size, sizeof size, other, tag);
    comm.send_bytes(list.data(), size * sizeof(V), other, tag);
  };
  if (comm.rank() < other) send();
  std::size_t size = 0;
  comm.receive_bytes(&size, sizeof size, other, tag);
  std::vector<V> received(size);
  comm.receive_bytes(received.data(), size * sizeof(V), other, tag);
  if (comm.rank() > other) send();
  return received;
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
  // A row block belongs to the rank in whose share of the bytes its middle is.
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
  const auto part_of = [&](const StoredBlock& block, Index rank, const auto& take) {
    const Index begin = std::max(cut[usize(rank)], block.first_row_block);
    const Index end = std::min(cut[usize(rank) + 1], block.first_row_block + block.row_blocks());
    if (begin < end) take(restricted(block, row_blocks, begin, end));
  };
  std::vector<StoredBlock> own;
  for (Index round = 0; round < comm.size(); ++round) {
    const Index other = (round - comm.rank() + comm.size()) % comm.size();
    if (other == comm.rank()) continue;
    BlockBatch batch;
    for (const StoredBlock& block : mine)
      part_of(block, other, [&](const StoredBlock& part) { batch.append(part); });
    std::ranges::move(to_blocks({.fields = swapped(comm, other, batch.fields),
                                 .piece = swapped(comm, other, batch.piece),
                                 .panels = swapped(comm, other, batch.panels)}),
                      std::back_inserter(own));
  }
  const Index first = cut[usize(comm.rank())], last = cut[usize(comm.rank()) + 1];
  for (StoredBlock& block : mine) {
    const bool whole = first <= block.first_row_block && block.first_row_block + block.row_blocks() <= last;
    if (whole) {  // most are: none is there twice
      own.push_back(std::move(block));
    } else {
      part_of(block, comm.rank(), [&](StoredBlock part) { own.push_back(std::move(part)); });
    }
  }
  std::ranges::stable_sort(own, {}, &StoredBlock::number);
  return own;
}

}  // namespace trisweep::hmatrix
