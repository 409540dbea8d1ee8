#include "trisweep/model/lower_bound.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/plan/applied_panels.hpp"

namespace trisweep::model {
namespace {

// The least that a rank multiplies with: all its blocks of a panel may be one product.
struct Products {
  double values = 0;
  double count = 0;
  double vector_bytes = 0;  // of work rows read and written
  Index last = -1;          // supernode
};

// Adds up the products of a layer's phases by rank.
struct ProductsOfLayer {
  const ChosenPlan& chosen;
  Index layer;
  double row_bytes;
  std::vector<Products>& by_rank;

  void operator()(const plan::SweepSpec& spec) const { add(spec); }
  void operator()(const plan::DiagonalSpec& spec) const { add(spec); }
  void operator()(const plan::ExchangeSpec&) const {}
  void operator()(const plan::VectorSpec&) const {}

 private:
  template <class Spec>
  void add(const Spec& spec) const {
    const symbolic::Structure& s = *chosen.structure;
    for (Products& of : by_rank) of.last = -1;
    plan::AppliedPanels(s, *chosen.mapping, layer, spec).for_each_block([&](const plan::AppliedBlock& block) {
      Products& of = by_rank[usize(block.rank)];
      const Index width = s.width(block.supernode);
      of.values += double(width) * block.rows;
      of.vector_bytes += block.rows * (2 * row_bytes + sizeof(Index));
      if (std::exchange(of.last, block.supernode) == block.supernode) return;
      ++of.count;
      of.vector_bytes += width * row_bytes;
    });
  }
};

std::vector<Products> products_of(const ChosenPlan& chosen, const Workload& workload) {
  std::vector<Products> products(usize(chosen.mapping->ranks()));
  for (Index layer = 0; layer < chosen.mapping->layers(); ++layer) {
    for (const plan::PhaseSpec& phase :
         plan::describe(chosen.schedule, *chosen.structure, *chosen.mapping, layer, chosen.spec))
      std::visit(ProductsOfLayer{chosen, layer, workload.row_bytes(), products}, phase);
  }
  return products;
}

// The seconds that each rank's workers spend on messages.
std::vector<double> message_seconds(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                                    const Workload& workload) {
  std::vector<double> seconds(usize(chosen.mapping->ranks()));
  plan::for_each_message(
      *chosen.structure, *chosen.mapping, chosen.schedule, chosen.spec, [&](const plan::Message& m) {
        const bool near = m.from.value() / machine.ranks_per_node == m.to.value() / machine.ranks_per_node;
        const Link& link = near ? network.inside : network.between;
        const double copying = 2 * double(m.rows) * workload.row_bytes() / machine.worker_bandwidth;
        seconds[usize(m.from)] += link.send_overhead;
        seconds[usize(m.to)] += link.receive_overhead + copying;
      });
  return seconds;
}

}  // namespace

double lower_bound(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                   const Workload& workload) {
  const std::vector<Products> products = products_of(chosen, workload);
  const std::vector<double> messages = message_seconds(chosen, machine, network, workload);
  const Cost value = least_value_cost(workload);
  std::vector<double> streamed(products.size() / usize(machine.ranks_per_memory) + 1);  // bytes
  double bound = 0;
  for (std::size_t r = 0; r < products.size(); ++r) {
    const Products& of = products[r];
    const double bytes = of.values * value.bytes + of.vector_bytes;
    const double seconds =
        std::max(bytes / machine.worker_bandwidth, of.values * value.flops / machine.worker_flops) +
        of.count * machine.product_seconds;
    bound = std::max(bound, (seconds + messages[r]) / machine.workers);
    streamed[r / usize(machine.ranks_per_memory)] += bytes;
  }
  for (const double bytes : streamed) bound = std::max(bound, bytes / machine.memory_bandwidth);
  return bound;
}

}  // namespace trisweep::model
