#include "trisweep/hmatrix/hacapk_distribution.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/hmatrix/block_exchange.hpp"

namespace trisweep::hmatrix {

HacapkDistribution hacapk_distribution(const ClusterTree& tree, const std::vector<Block>& leaves,
                                       Index ranks) {
  const auto rows_of = [&](Index b) -> const Cluster& { return tree.cluster[usize(leaves[usize(b)].row)]; };
  const auto cols_of = [&](Index b) -> const Cluster& { return tree.cluster[usize(leaves[usize(b)].col)]; };
  std::vector<Index> order(leaves.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index b) { return std::pair(rows_of(b).begin, cols_of(b).begin); });
  double total = 0;
  for (const Block& block : leaves) total += work_of(tree, block);

  HacapkDistribution distribution{.owner = std::vector<Index>(leaves.size())};
  std::vector<Index> begin(usize(ranks), tree.size()), end(usize(ranks));
  double before = 0;
  for (const Index b : order) {
    const auto rank = std::min(static_cast<Index>(before / total * ranks), ranks - 1);
    distribution.owner[usize(b)] = rank;
    begin[usize(rank)] = std::min(begin[usize(rank)], rows_of(b).begin);
    end[usize(rank)] = std::max(end[usize(rank)], rows_of(b).end);
    before += work_of(tree, leaves[usize(b)]);
  }
  for (std::size_t r = 0; r < usize(ranks); ++r) distribution.rows += std::max(0, end[r] - begin[r]);
  return distribution;
}

}  // namespace trisweep::hmatrix
