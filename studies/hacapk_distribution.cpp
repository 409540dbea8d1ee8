#include "studies/hacapk_distribution.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/hmatrix/block_exchange.hpp"

namespace trisweep::studies {

HacapkDistribution hacapk_distribution(const hmatrix::ClusterTree& tree,
                                       const std::vector<hmatrix::Block>& leaves, Index ranks) {
  const auto rows_of = [&](Index b) -> const hmatrix::Cluster& {
    return tree.cluster[usize(leaves[usize(b)].row)];
  };
  const auto cols_of = [&](Index b) -> const hmatrix::Cluster& {
    return tree.cluster[usize(leaves[usize(b)].col)];
  };
  std::vector<Index> order(leaves.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index b) { return std::pair(rows_of(b).begin, cols_of(b).begin); });
  double total = 0;
  for (const hmatrix::Block& block : leaves) total += hmatrix::work_of(tree, block);

  HacapkDistribution distribution{.owner = std::vector<Index>(leaves.size())};
  std::vector<Index> begin(usize(ranks), tree.size()), end(usize(ranks));
  double before = 0;
  for (const Index b : order) {
    const auto rank = std::min(static_cast<Index>(before / total * ranks), ranks - 1);
    distribution.owner[usize(b)] = rank;
    begin[usize(rank)] = std::min(begin[usize(rank)], rows_of(b).begin);
    end[usize(rank)] = std::max(end[usize(rank)], rows_of(b).end);
    before += hmatrix::work_of(tree, leaves[usize(b)]);
  }
  for (std::size_t r = 0; r < usize(ranks); ++r) distribution.rows += std::max(0, end[r] - begin[r]);
  return distribution;
}

template <Scalar T>
HacapkBalance hacapk_balance(const mpi::Communicator& comm, const hmatrix::CompressedBlocks<T>& blocks) {
  HacapkBalance balance;
  if (comm.size() == 1 || blocks.leaves.empty()) return balance;
  std::vector<double> bytes(usize(comm.size()));
  mpi::agree_on_error(comm, [&] {
    const auto theirs = hacapk_distribution(blocks.tree, blocks.leaves, comm.size());
    for (const hmatrix::StoredBlock& block : blocks.stored)
      bytes[usize(theirs.owner[usize(block.number)])] += double(block.bytes.size());
    balance.rows = double(theirs.rows) / blocks.tree.size();
  });
  comm.sum(bytes);
  const double total = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  balance.bytes = *std::ranges::max_element(bytes) * comm.size() / total;
  return balance;
}

#define INSTANTIATE(T) \
  template HacapkBalance hacapk_balance(const mpi::Communicator&, const hmatrix::CompressedBlocks<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
