#pragma once
// What the work of a plan amounts to, in bytes and flops, before any machine is asked.

#include <span>

#include "trisweep/plan/plan.hpp"

namespace trisweep::model {

// What a plan is run with.
struct Workload {
  Index nrhs = 1;
  std::size_t scalar_bytes = sizeof(double);  // of a number of the vectors
  std::size_t stored_bytes = sizeof(double);  // of one of the panels
  bool complex = false;
  double compression_eps = 0;  // of panels in tiles (docs/compression.md); 0: panels as they are

  double row_bytes() const { return double(scalar_bytes) * nrhs; }
  double flops_per_entry() const { return (complex ? 8.0 : 2.0) * nrhs; }
};

struct Cost {
  double bytes = 0;  // to and from memory
  double flops = 0;
  double products = 0;

  Cost& operator+=(const Cost& other) {
    bytes += other.bytes;
    flops += other.flops;
    products += other.products;
    return *this;
  }
};

// What a product reads of a panel, and computes. Of tiles, which are known only when there are numbers, it is
// an estimate: by the size of the panel alone, as systems in three dimensions have them.
Cost panel_cost(Index height, Index width, const Workload& workload);

// A product with `height` x `width` values: the panel once, the rows on its height side read and written
// with their positions, those on its width side once.
Cost product_cost(Index height, Index width, const Workload& workload);

// The least of panel_cost() for one value of any panel.
Cost least_value_cost(const Workload& workload);

Cost cost_of(std::span<const plan::RowBlock> row_blocks, const Workload& workload);
Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const Workload& workload);
// Rows that are copied from targets to segments when a product of tiles is done.
Offset replaced_rows(const plan::SweepPhase& phase);
// All of a phase.
Cost cost_of(const plan::SweepPhase& phase, const Workload& workload);
Cost cost_of(const plan::DiagonalPhase& phase, const Workload& workload);
Cost cost_of(const plan::ExchangePhase& phase, const Workload& workload);
Cost cost_of(const plan::VectorPhase& phase, const Workload& workload);

}  // namespace trisweep::model
