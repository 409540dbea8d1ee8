#include "trisweep/engine/panel_store.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/engine/panel_columns.hpp"

namespace trisweep::engine {
namespace {

using distribution::Distribution;
using distribution::LocalBlocks;
using distribution::Side;
using symbolic::Structure;

constexpr const char* what = "this rank's part of the factors";

constexpr std::size_t at(Side side) {
  return static_cast<std::size_t>(side);
}

// Copies, of every panel of one side, the rows of the blocks that share.rank owns.
template <class S>
void extract_side(const Structure& s, const LocalBlocks& local_blocks, Side side,
                  const numeric::Factors<S>& factors, S* out) {
  const auto& part = local_blocks.side(side);
  for (Index p = 0; p < part.pieces(); ++p) {
    const Index k = part.supernode[usize(p)];
    copy_piece(panel_of(s, side, k, factors), part.blocks(p),
               PanelColumns<S*>{out + part.value_ptr[usize(p)], part.height(p), s.width(k)});
  }
}

std::vector<LocalBlocks> all_shares(const Distribution& d) {
  std::vector<LocalBlocks> all;
  for (Index layer = 0; layer < d.mapping->layers(); ++layer) {
    for (LocalBlocks& local_blocks : distribution::make_all_local_blocks(*d.structure, *d.mapping, layer))
      all.push_back(std::move(local_blocks));
  }
  return all;
}

// How many values of a side a rank stores: of upper panels none where U is made of L.
std::size_t stored(const LocalBlocks& local_blocks, Side side, bool with_upper) {
  return side == Side::upper && !with_upper ? 0 : usize(local_blocks.side(side).value_ptr.back());
}

std::size_t largest_side(const std::vector<LocalBlocks>& blocks_by_rank, bool with_upper) {
  std::size_t largest = 0;
  for (const LocalBlocks& local_blocks : blocks_by_rank) {
    for (const Side side : distribution::sides)
      largest = std::max(largest, stored(local_blocks, side, with_upper));
  }
  return largest;
}

// Sends each rank its part of `factors` from rank 0.
template <class S>
std::shared_ptr<const SideValues<S>> sent_from_root(const mpi::Communicator& comm,
                                                    const Distribution& distribution,
                                                    const LocalBlocks& local_blocks,
                                                    const numeric::Factors<S>* factors) {
  char with_upper = factors != nullptr && numeric::has_upper(factors->kind);
  comm.broadcast(with_upper);
  // All that can fail, before any message: rank 0 then only copies and sends.
  std::vector<LocalBlocks> blocks_by_rank;  // of all ranks, on rank 0
  Buffer<S> staging;                        // for one side of one of them
  auto mine = mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) {
      blocks_by_rank = all_shares(distribution);
      staging = Buffer<S>(largest_side(blocks_by_rank, with_upper != 0), what);
    }
    auto owned = std::make_shared<SideValues<S>>();
    for (const Side side : distribution::sides)
      (*owned)[at(side)] = Buffer<S>(stored(local_blocks, side, with_upper != 0), what);
    return owned;
  });
  for (const Side side : distribution::sides) {
    Buffer<S>& part = (*mine)[at(side)];
    if (comm.rank() != 0) {
      comm.receive_bytes(part.data(), part.size() * sizeof(S), 0, mpi::Tag::panels);
    } else if (part.size() > 0) {
      extract_side(*distribution.structure, local_blocks, side, *factors, part.data());
    }
    for (const LocalBlocks& theirs : blocks_by_rank) {
      const std::size_t size = stored(theirs, side, with_upper != 0);
      if (theirs.rank == 0 || size == 0) continue;
      extract_side(*distribution.structure, theirs, side, *factors, staging.data());
      comm.send_bytes(staging.data(), size * sizeof(S), theirs.rank, mpi::Tag::panels);
    }
  }
  return mine;
}

}  // namespace

template <class S>
SideValues<S> pieces_of(const Distribution& distribution, const LocalBlocks& local_blocks,
                        const numeric::Factors<S>& factors) {
  SideValues<S> values;
  for (const Side side : distribution::sides) {
    Buffer<S>& part = values[at(side)];
    part = Buffer<S>(stored(local_blocks, side, numeric::has_upper(factors.kind)), what);
    if (part.size() > 0) extract_side(*distribution.structure, local_blocks, side, factors, part.data());
  }
  return values;
}

template <class S>
PieceValues<S> dealt_out(const mpi::Communicator& comm, const Distribution& distribution,
                         const LocalBlocks& local_blocks,
                         std::shared_ptr<const numeric::Factors<S>> factors) {
  if (comm.size() > 1) return PieceValues<S>(sent_from_root(comm, distribution, local_blocks, factors.get()));
  return {factors, {factors->lower.span(), factors->upper.span(), factors->diagonal.span()}};
}

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T> PanelStore<T>::PanelStore(PieceValues<S> panels)
    : keep_(std::move(panels.keep)) {
  for (std::size_t side = 0; side < panels.side.size(); ++side) {
    values_[side] = panels.side[side].data();
    size_[side] = panels.side[side].size();
    bytes_ += panels.side[side].size_bytes();
  }
}

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T> PanelStore<T> PanelStore<T>::compressed(const LocalBlocks& local_blocks,
                                                                          double eps, ThreadPool& pool)
const {
  BySide<CompressedSide<T>> made;
  for (const Side side : distribution::sides) {
    const S* const values = values_[at(side)].template as<S>();
    if (values == nullptr) continue;  // U may be made of L
    made[at(side)] = compressed_side<T, S>(local_blocks.side(side), values, eps, pool);
  }
  return of<S>(std::move(made));
}

template <Scalar T>
template <class S>
requires kernels::StorageOf<S, T> PanelStore<T> PanelStore<T>::of(BySide<CompressedSide<T>> made) {
  PanelStore store;
  store.compressed_ = true;
  store.values_.fill(static_cast<const S*>(nullptr));
  auto memory = std::make_shared<BySide<std::vector<Buffer<std::byte>>>>();
  for (std::size_t side = 0; side < made.size(); ++side) {
    store.bytes_ += std::reduce(made[side].bytes.begin(), made[side].bytes.end());
    for (const kernels::Stored<T>& piece : made[side].piece)
      store.of_device_[side].push_back({piece.template as<std::byte>(), !piece.template is<S>()});
    store.piece_[side] = std::move(made[side].piece);
    store.piece_bytes_[side] = std::move(made[side].bytes);
    (*memory)[side] = std::move(made[side].memory);
    store.memory_[side] = (*memory)[side];
  }
  store.keep_ = std::move(memory);
  return store;
}

#define INSTANTIATE_PIECES(S)                                                                            \
  template SideValues<S> pieces_of(const Distribution&, const LocalBlocks&, const numeric::Factors<S>&); \
  template PieceValues<S> dealt_out(const mpi::Communicator&, const Distribution&, const LocalBlocks&,   \
                                    std::shared_ptr<const numeric::Factors<S>>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_PIECES)

#define INSTANTIATE(S, T)                                                                             \
  template PanelStore<T>::PanelStore(PieceValues<S>);                                                 \
  template PanelStore<T> PanelStore<T>::compressed<S>(const LocalBlocks&, double, ThreadPool&) const; \
  template PanelStore<T> PanelStore<T>::of<S>(BySide<CompressedSide<T>>);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
