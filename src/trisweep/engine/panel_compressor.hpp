#pragma once
// Compresses the panels of factors into tiles during the factorization, for a single rank, whose pieces are
// whole panels. The result is bitwise that of PanelStore::compressed() after the factorization.

#include <array>
#include <optional>
#include <vector>

#include "trisweep/engine/panel_store.hpp"
#include "trisweep/numeric/panel_sink.hpp"

namespace trisweep::engine {

// The factors' values have type S, the vectors' T.
template <Scalar T, class S>
requires kernels::StorageOf<S, T>
class PanelCompressor final : public numeric::PanelSink<S> {
 public:
  // `local_blocks`: all panels. `threads`: at most, of the factorization. `bytes`: expected size of the
  // tiles.
  PanelCompressor(distribution::LocalBlocks local_blocks, double eps, int threads, double bytes);
  PanelCompressor(const PanelCompressor&) = delete;
  PanelCompressor& operator=(const PanelCompressor&) = delete;

  void take(int thread, const numeric::Panel<S>& panel) override;
  std::size_t bytes_expected() const override { return bytes_; }

  // Time of the thread that has spent most on compression, plus that of finish().
  double seconds() const;
  // To be called once, after the factorization.
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
