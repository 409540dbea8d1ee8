#include "trisweep/hmatrix/block_exchange.hpp"

#include <algorithm>
#include <cstring>

namespace trisweep::hmatrix {
namespace {

constexpr int tag = 4;

template <class V>
void write(std::vector<std::byte>& message, const V* values, std::size_t count) {
  const auto* const from = reinterpret_cast<const std::byte*>(values);
  message.insert(message.end(), from, from + count * sizeof(V));
}

template <class V>
const std::byte* read(const std::byte* from, V* values, std::size_t count) {
  if (count > 0) std::memcpy(values, from, count * sizeof(V));
  return from + count * sizeof(V);
}

// What of a block has a fixed size.
struct Envelope {
  Index number, row_begin, row_end, col_begin, col_end, rank, first_row_block, row_blocks;
};

void write_block(const StoredBlock& b, std::vector<std::byte>& message) {
  const Envelope envelope{b.number,  b.row_begin, b.row_end,         b.col_begin,
                          b.col_end, b.rank,      b.first_row_block, b.row_blocks()};
  write(message, &envelope, 1);
  write(message, b.piece.data(), b.piece.size());
  write(message, b.bytes.data(), b.bytes.size());
}

void read_blocks(const std::vector<std::byte>& message, std::vector<StoredBlock>& blocks) {
  const std::byte* at = message.data();
  while (at != message.data() + message.size()) {
    Envelope e{};
    at = read(at, &e, 1);
    StoredBlock& b = blocks.emplace_back();
    b = {e.number, e.row_begin, e.row_end, e.col_begin, e.col_end, e.rank, e.first_row_block};
    b.piece.resize(usize(e.row_blocks) + 1);
    at = read(at, b.piece.data(), b.piece.size());
    b.bytes.resize(b.piece.back());
    at = read(at, b.bytes.data(), b.bytes.size());
  }
}

// This rank's message and the other's, each to the other; the one of lower rank sends first.
std::vector<std::byte> swap_messages(const mpi::Communicator& comm, Index other,
                                     const std::vector<std::byte>& message) {
  std::vector<std::byte> received;
  const auto send = [&] {
    const std::size_t size = message.size();
    comm.send_bytes(&size, sizeof size, other, tag);
    comm.send_bytes(message.data(), size, other, tag);
  };
  if (comm.rank() < other) send();
  std::size_t size = 0;
  comm.receive_bytes(&size, sizeof size, other, tag);
  received.resize(size);
  comm.receive_bytes(received.data(), size, other, tag);
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
    std::vector<std::byte> message;
    for (const StoredBlock& block : mine)
      part_of(block, other, [&](const StoredBlock& part) { write_block(part, message); });
    read_blocks(swap_messages(comm, other, message), own);
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
