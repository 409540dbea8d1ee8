#include "trisweep/engine/panel_store.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::engine {
namespace {

using distribution::LocalBlocks;
using distribution::Side;

constexpr std::size_t at(Side side) {
  return static_cast<std::size_t>(side);
}

}  // namespace

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
    if (values == nullptr) continue;  // U may be derived from L
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

#define INSTANTIATE(S, T)                                                                             \
  template PanelStore<T>::PanelStore(PieceValues<S>);                                                 \
  template PanelStore<T> PanelStore<T>::compressed<S>(const LocalBlocks&, double, ThreadPool&) const; \
  template PanelStore<T> PanelStore<T>::of<S>(BySide<CompressedSide<T>>);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
