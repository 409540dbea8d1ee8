#pragma once
// The work of a plan in bytes and flops, independent of any machine.

#include <span>

#include "trisweep/plan/plan.hpp"

namespace trisweep::model {

// The vectors and precisions that a plan is run with.
struct Workload {
  Index nrhs = 1;
  std::size_t scalar_bytes = sizeof(double);  // of a value of the vectors
  std::size_t stored_bytes = sizeof(double);  // of a value of the panels
  bool complex = false;
  double compression_eps = 0;  // accuracy of panels in tiles (docs/compression.md); 0: uncompressed

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

// What a product reads of a panel, and its flops. For panels in tiles, which depend on the values, it is an
// estimate from the panel's size alone, typical of systems in three dimensions.
Cost panel_cost(Index height, Index width, const Workload& workload);

// A product with `height` x `width` values: reads the panel, reads and writes the vector rows on its height
// side with their indices, and accesses those on its width side once.
Cost product_cost(Index height, Index width, const Workload& workload);

// Lower bound of panel_cost() per value, for any panel.
Cost least_value_cost(const Workload& workload);

Cost cost_of(std::span<const plan::RowBlock> row_blocks, const Workload& workload);
Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const Workload& workload);
// Rows that are copied from targets to segments when a product with a separator in tiles is done.
Offset replaced_rows(const plan::SweepPhase& phase);
// The whole phase.
Cost cost_of(const plan::SweepPhase& phase, const Workload& workload);
Cost cost_of(const plan::DiagonalPhase& phase, const Workload& workload);
Cost cost_of(const plan::ExchangePhase& phase, const Workload& workload);
Cost cost_of(const plan::VectorPhase& phase, const Workload& workload);

}  // namespace trisweep::model
