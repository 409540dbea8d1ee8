#pragma once
// Runs the phases of a plan on the host (2018 paper, Algorithm 2, generalized: one loop serves both
// directions, both sides and all ops, since the plan contains their differences).
//
// The calling thread takes messages before tasks, since other ranks wait for what they make available; the
// other threads of the rank take tasks only. The thread that completes a segment sends it immediately: calls
// of the transport are serialized.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/engine/profile.hpp"
#include "trisweep/engine/run.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

template <Scalar T>
struct SweepState;

// Row blocks [begin, end) of a phase.
struct RowBlocks {
  const std::vector<plan::RowBlock>& all;
  const TinyShapes& shapes;
  std::size_t begin;
  std::size_t end;
};

// This rank's panels, and the threads that multiply by them.
template <Scalar T>
struct LocalPanels {
  const distribution::LocalBlocks& local_blocks;
  const distribution::PiecePositions positions;
  const PanelStore<T>& values;
  ThreadPool& pool;

  // Multiplies segments by their own inverted diagonal blocks, which are whole pieces of the diagonal side.
  void apply_diagonal(const RowBlocks& row_blocks, Op op, const kernels::Work<T>& work) const;

  // Calls product(kernels::Panel, first work row of its columns) for each row block of a side, or tiny(panel,
  // size) if the panel is tiny (tiny_panels.hpp). `places`: the phase's positions.
  template <plan::Direction direction, class Tiny, class Product>
  void for_each_panel(const RowBlocks& row_blocks, distribution::Side side, const Index* places,
                      const kernels::Work<T>& work, const Tiny& tiny, const Product& product) const {
    const T* const tiny_values = work.nrhs == 1 ? values.plain(side) : nullptr;
    for (std::size_t i = row_blocks.begin; i < row_blocks.end;) {
      const plan::RowBlock& row_block = row_blocks.all[i];
      const Index* const position = places + row_block.position;
      if (tiny_values != nullptr && row_blocks.shapes[i].is_tiny()) {
        const TinyPanel<T> first{tiny_values + row_block.value, position, rows_at(work, row_block.at)};
        i = for_each_tiny<direction>(row_blocks.shapes.data(), i, row_blocks.end, first, tiny);
        continue;
      }
      product(kernels::Panel<T>{.value = values.piece(side, row_block),
                                .position = position,
                                .height = row_block.height,
                                .width = row_block.width,
                                .begin = row_block.row_begin,
                                .end = row_block.row_end,
                                .conjugate = false},
              row_block.at.value());
      ++i;
    }
  }
};

template <Scalar T>
class Executor {
 public:
  Executor(const distribution::LocalBlocks& local_blocks, distribution::PiecePositions positions,
           const PanelStore<T>& panels, ThreadPool& pool);
  ~Executor();

  // Allocates, so that running a phase of `plan` with at most `nrhs` right-hand sides does not.
  void reserve(const plan::Plan& plan, Index nrhs);
  // Shapes of tiny panels, by phase.
  std::vector<TinyShapes> tiny_shapes(const plan::Plan& plan) const;
  // Gives up memory that messages may still be sent from, or written to, without freeing it.
  void release() { packed_.release(); }
  // Scratch for the products of thread 0; the others have their own.
  T* scratch() const;

  PhaseProfile run(const plan::SweepPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::ExchangePhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::DiagonalPhase& phase, Index channel, const Run<T>& run);
  PhaseProfile run(const plan::VectorPhase& phase, Index channel, const Run<T>& run);

 private:
  void pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work);

  LocalPanels<T> panels_;
  std::unique_ptr<SweepState<T>> state_;
  Buffer<T> packed_;  // messages of an exchange phase or a vector phase
};

}  // namespace trisweep::engine
