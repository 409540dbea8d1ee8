#include "trisweep/engine/panel_compressor.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"

namespace trisweep::engine {

using distribution::Side;

template <Scalar T, class S>
requires kernels::StorageOf<S, T> PanelCompressor<T, S>::PanelCompressor(
    distribution::LocalBlocks local_blocks, double eps, int threads, double bytes)
    : local_blocks_(std::move(local_blocks)),
      bytes_(static_cast<std::size_t>(bytes)),
      seconds_(usize(threads)) {
  for (const Side side : distribution::sides) side_.emplace_back(local_blocks_.side(side), eps, threads);
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
void PanelCompressor<T, S>::take(int thread, const numeric::Panel<S>& panel) {
  const auto start = Clock::now();
  for (const Side side : distribution::sides) take(thread, side, panel);
  seconds_[usize(thread)] += seconds_since(start);
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
void PanelCompressor<T, S>::take(int thread, Side side, const numeric::Panel<S>& panel) {
  const numeric::View<S>& block = side == Side::lower   ? panel.lower
                                  : side == Side::upper ? panel.upper
                                                        : panel.diagonal;
  if (block.empty()) return;
  const std::vector<Index>& pieces = local_blocks_.side(side).supernode;
  const auto piece = std::ranges::lower_bound(pieces, panel.supernode) - pieces.begin();
  side_[static_cast<std::size_t>(side)].take(thread, static_cast<Index>(piece), block.data);
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
double PanelCompressor<T, S>::seconds() const {
  return *std::ranges::max_element(seconds_) + finish_seconds_;
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> PanelStore<T> PanelCompressor<T, S>::finish(numeric::Kind kind) {
  const auto start = Clock::now();
  std::array<CompressedSide<T>, distribution::sides.size()> made;
  for (const Side side : distribution::sides) {
    if (side == Side::upper && !numeric::has_upper(kind)) continue;
    const auto s = static_cast<std::size_t>(side);
    made[s] = std::move(side_[s]).finish();
  }
  auto store = PanelStore<T>::template of<S>(std::move(made));
  finish_seconds_ = seconds_since(start);
  return store;
}

#define INSTANTIATE(S, T) template class PanelCompressor<T, S>;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
