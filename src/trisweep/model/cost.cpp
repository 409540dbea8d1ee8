#include "trisweep/model/cost.hpp"

#include <algorithm>
#include <cmath>

namespace trisweep::model {
namespace {

constexpr double tile_side = 128;  // at most (docs/compression.md)
constexpr double least_side = 32;  // of tiles of low rank: smaller ones seldom gain by it
constexpr double tile_bytes = 64;  // the overhead of a tile besides its values, as memory traffic

// The real numbers that represent a panel in memory: a complex one counts twice.
struct Numbers {
  double count;
  double bytes;
};

// Takes all tiles of a panel to be alike. On poisson3d:64 with an eps of 30 bits, dense tiles take 33 bits
// per number and low-rank tiles 17. Ranks grow with the bits of eps and with the square root of a tile's
// side; the factor 0.22 makes the bytes 0.75 to 1.2 times those of ten systems of the gallery at that eps.
Numbers in_tiles(double height, double width, double parts, double eps) {
  const double down = std::ceil(height / tile_side), across = std::ceil(width / tile_side);
  const double rows = height / down, cols = width / across, side = std::min(rows, cols);
  const double digits = std::log2(1 / eps);
  Numbers tile{parts * rows * cols, parts * rows * cols * (digits + 3) / 8};
  const double rank = 0.22 * digits * std::sqrt(side), count = parts * rank * (rows + cols);
  if (const double bytes = count * (digits / 2 + 2) / 8; side >= least_side && bytes < tile.bytes)
    tile = {count, bytes};
  return {down * across * tile.count, down * across * (tile.bytes + tile_bytes)};
}

}  // namespace

Cost panel_cost(Index height, Index width, const Workload& workload) {
  const double entries = double(height) * width, flops = workload.flops_per_entry();
  const Cost whole{.bytes = entries * double(workload.stored_bytes), .flops = entries * flops};
  if (workload.compression_eps == 0 || entries == 0) return whole;
  const double parts = workload.complex ? 2 : 1;
  const Numbers tiles = in_tiles(height, width, parts, workload.compression_eps);
  // Widening a number takes half as long as multiplying by it.
  return tiles.bytes < whole.bytes ? Cost{.bytes = tiles.bytes, .flops = 1.5 * tiles.count / parts * flops}
                                   : whole;
}

Cost product_cost(Index height, Index width, const Workload& workload) {
  Cost cost = panel_cost(height, width, workload);
  cost.bytes += (2.0 * height + width) * workload.row_bytes() + double(height) * sizeof(Index);
  cost.products = 1;
  return cost;
}

Cost least_value_cost(const Workload& workload) {
  constexpr Index side = static_cast<Index>(tile_side);
  constexpr double values = tile_side * tile_side;
  const Cost one = panel_cost(1, 1, workload), tile = panel_cost(side, side, workload);
  return {.bytes = std::min(one.bytes, tile.bytes / values),
          .flops = std::min(one.flops, tile.flops / values)};
}

Cost cost_of(std::span<const plan::RowBlock> row_blocks, const Workload& workload) {
  Cost cost;
  for (const plan::RowBlock& row_block : row_blocks)
    cost += product_cost(row_block.row_end - row_block.row_begin, row_block.width, workload);
  return cost;
}

Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const Workload& workload) {
  const std::span row_blocks(phase.row_block);
  return cost_of(
      row_blocks.subspan(usize(task.row_block_begin), usize(task.row_block_end - task.row_block_begin)),
      workload);
}

Offset replaced_rows(const plan::SweepPhase& phase) {
  Offset rows = 0;
  for (const plan::Replacement& r : phase.replaced) rows += r.rows;
  return rows;
}

Cost cost_of(const plan::SweepPhase& phase, const Workload& workload) {
  Cost cost;
  for (const plan::Task& task : phase.task) cost += cost_of(task, phase, workload);
  return cost;
}

Cost cost_of(const plan::DiagonalPhase& phase, const Workload& workload) {
  return cost_of(std::span(phase.row_block), workload);
}

// Packing and unpacking are priced with the messages.
Cost cost_of(const plan::ExchangePhase&, const Workload&) {
  return {};
}
Cost cost_of(const plan::VectorPhase&, const Workload&) {
  return {};
}

}  // namespace trisweep::model
