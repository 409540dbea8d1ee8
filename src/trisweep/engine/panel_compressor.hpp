#pragma once
// Puts the panels of factors in tiles while the factors are made, for a rank that is alone: its pieces are
// whole panels. What comes out is bit for bit what PanelStore::compressed() makes of them afterwards.

#include <array>
#include <optional>
#include <vector>

#include "trisweep/engine/panel_store.hpp"
#include "trisweep/numeric/panel_sink.hpp"

namespace trisweep::engine {

// The numbers of the factors are S, those of the vectors T.
template <Scalar T, class S>
requires kernels::StorageOf<S, T>
class PanelCompressor final : public numeric::PanelSink<S> {
 public:
  // `share`: all panels. `threads`: of the factorization, at most. `bytes`: expected of the tiles.
  PanelCompressor(distribution::LocalBlocks local_blocks, double eps, int threads, double bytes);
  PanelCompressor(const PanelCompressor&) = delete;
  PanelCompressor& operator=(const PanelCompressor&) = delete;

  void take(int thread, const numeric::Panel<S>& panel) override;
  std::size_t bytes_expected() const override { return bytes_; }

  // Of the thread that has spent most, and of finish().
  double seconds() const;
  // When the factorization is done: once.
  PanelStore<T> finish(numeric::Kind kind);

 private:
  void take(int thread, distribution::Side side, const numeric::Panel<S>& panel);

  const distribution::LocalBlocks local_blocks_;
  const std::size_t bytes_;
  std::vector<SideCompressor<T, S>> side_;
  std::vector<double> seconds_;  // by thread
  double finish_seconds_ = 0;
};

}  // namespace trisweep::engine
