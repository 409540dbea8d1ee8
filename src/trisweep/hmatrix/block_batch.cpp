#include "trisweep/hmatrix/block_batch.hpp"

namespace trisweep::hmatrix {
namespace {

constexpr int batch_tag = 5;

template <class V>
void send_list(const mpi::Communicator& comm, const std::vector<V>& list, Index to) {
  const std::size_t size = list.size();
  comm.send_bytes(&size, sizeof size, to, batch_tag);
  comm.send_bytes(list.data(), size * sizeof(V), to, batch_tag);
}

template <class V>
void receive_list(const mpi::Communicator& comm, std::vector<V>& list, Index from) {
  std::size_t size = 0;
  comm.receive_bytes(&size, sizeof size, from, batch_tag);
  list.resize(size);
  comm.receive_bytes(list.data(), size * sizeof(V), from, batch_tag);
}

}  // namespace

BlockBatch to_batch(std::span<const StoredBlock> blocks) {
  BlockBatch batch;
  for (const StoredBlock& b : blocks) {
    batch.fields.insert(batch.fields.end(), {b.number, b.row_begin, b.row_end, b.col_begin, b.col_end, b.rank,
                                             b.first_row_block, b.row_blocks()});
    batch.piece.insert(batch.piece.end(), b.piece.begin(), b.piece.end());
    batch.panels.insert(batch.panels.end(), b.bytes.begin(), b.bytes.end());
  }
  return batch;
}

std::vector<StoredBlock> to_blocks(const BlockBatch& batch) {
  std::vector<StoredBlock> blocks;
  auto piece = batch.piece.begin();
  auto bytes = batch.panels.begin();
  for (auto f = batch.fields.begin(); f != batch.fields.end(); f += block_fields) {
    StoredBlock& b = blocks.emplace_back();
    b = {f[0], f[1], f[2], f[3], f[4], f[5], f[6]};
    const auto pieces_end = piece + f[7] + 1;
    b.piece.assign(piece, pieces_end);
    piece = pieces_end;
    const auto end = bytes + static_cast<Offset>(b.piece.back());
    b.bytes.assign(bytes, end);
    bytes = end;
  }
  return blocks;
}

void send(const mpi::Communicator& comm, const BlockBatch& batch, Index to) {
  send_list(comm, batch.fields, to);
  send_list(comm, batch.piece, to);
  send_list(comm, batch.panels, to);
}

BlockBatch receive_batch(const mpi::Communicator& comm, Index from) {
  BlockBatch batch;
  receive_list(comm, batch.fields, from);
  receive_list(comm, batch.piece, from);
  receive_list(comm, batch.panels, from);
  return batch;
}

}  // namespace trisweep::hmatrix
