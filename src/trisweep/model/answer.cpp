#include "trisweep/model/answer.hpp"

#include <algorithm>
#include <bit>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/model/all_reduce.hpp"

namespace trisweep::model {
namespace {

// Columns multiplied together: A is read, and the halo exchanged, once for all of them.
constexpr Index columns_at_once = 8;

constexpr Index reductions_of_call = 1;
constexpr Index reductions_of_measurement = 2;

Index bundles(const Workload& workload) {
  return (workload.nrhs + columns_at_once - 1) / columns_at_once;
}

// Each entry of A is multiplied twice: once for the residual, once for the scale of the residual.
double product_seconds(const ProductShare& p, const Machine& machine, const Workload& workload) {
  const double of_matrix =
      double(p.nonzeros) * double(workload.scalar_bytes + sizeof(Index)) + double(p.rows) * sizeof(Offset);
  const double of_vectors = (3.0 * p.rows + p.ghosts) * workload.row_bytes();
  const double flops = 2 * double(p.nonzeros) * workload.flops_per_entry();
  return std::max((bundles(workload) * of_matrix + of_vectors) / rank_bandwidth(machine, p.ranks),
                  flops / (machine.workers * machine.worker_flops));
}

double halo_seconds(const ProductShare& p, const Machine& machine, const Workload& workload) {
  if (p.neighbours == 0) return 0;
  const Network& network = machine.two_sided;
  const Link& link = p.ranks > machine.ranks_per_node ? network.between : network.inside;
  const double bytes = double(p.ghosts) * workload.row_bytes();
  const double messages = link.latency + p.neighbours * (link.send_overhead + link.receive_overhead);
  return bundles(workload) * messages + bytes / link.bandwidth + 2 * machine.copying_seconds(bytes);
}

}  // namespace

double rank_bandwidth(const Machine& machine, Index ranks) {
  return std::min(machine.workers * machine.worker_bandwidth,
                  machine.memory_bandwidth / std::min(machine.ranks_per_memory, ranks));
}

ProductShare product_share(const matrix::Pattern& a, Index ranks) {
  const auto partition = distribution::even_partition(a.rows, ranks);
  ProductShare most{.ranks = ranks};
  std::vector<Index> met(usize(a.cols), -1), asked(usize(ranks), -1);  // the last rank that did
  for (Index rank = 0; rank < ranks; ++rank) {
    const Index first = partition.first(rank), end = first + partition.count(rank);
    ProductShare its{.rows = end - first, .nonzeros = a.row_ptr[usize(end)] - a.row_ptr[usize(first)]};
    for (Offset e = a.row_ptr[usize(first)]; e < a.row_ptr[usize(end)]; ++e) {
      const Index column = a.col[usize(e)];
      if ((first <= column && column < end) || std::exchange(met[usize(column)], rank) == rank) continue;
      ++its.ghosts;
      its.neighbours += std::exchange(asked[usize(partition.owner(column))], rank) != rank;
    }
    most.rows = std::max(most.rows, its.rows);
    most.nonzeros = std::max(most.nonzeros, its.nonzeros);
    most.neighbours = std::max(most.neighbours, its.neighbours);
    most.ghosts = std::max(most.ghosts, its.ghosts);
  }
  return most;
}

std::vector<ProductShare> product_shares(const matrix::Pattern& a) {
  std::vector<ProductShare> shares;
  for (Index ranks = 1; ranks <= std::min(std::max(a.rows, 1), Index{1} << 14); ranks *= 2)
    shares.push_back(product_share(a, ranks));
  return shares;
}

ProductShare share_for(std::span<const ProductShare> shares, Index ranks) {
  if (shares.empty()) return {.ranks = ranks};
  const auto above = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  ProductShare share = shares[std::min(above, shares.size() - 1)];
  const double scale = double(share.ranks) / double(ranks);
  share.rows = static_cast<Index>(share.rows * scale);
  share.nonzeros = static_cast<Offset>(double(share.nonzeros) * scale);
  share.ranks = ranks;
  return share;
}

AnswerPrice answer_price(double sweep_seconds, int corrections, const ProductShare& product,
                         const Machine& machine, const Workload& workload) {
  const int sweeps = 1 + corrections;
  const Index of_node = std::min(product.ranks, machine.ranks_per_node);
  AnswerPrice price{.corrections = corrections,
                    .reductions = reductions_of_call + reductions_of_measurement * sweeps};
  price.sweeps = sweeps * sweep_seconds;
  price.products = sweeps * product_seconds(product, machine, workload);
  price.halos = sweeps * halo_seconds(product, machine, workload);
  price.reduction_seconds =
      price.reductions * all_reduce_seconds(machine, (product.ranks + of_node - 1) / of_node, of_node,
                                            workload.nrhs * sizeof(double));
  price.updates =
      corrections * 3.0 * product.rows * workload.row_bytes() / rank_bandwidth(machine, product.ranks);
  return price;
}

}  // namespace trisweep::model
