#include "trisweep/hmatrix/cluster_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::hmatrix {
namespace {

class TreeBuilder {
 public:
  TreeBuilder(const std::vector<Point>& points, Index leaf_size) : points_(points), leaf_size_(leaf_size) {
    tree_.order.resize(points.size());
    std::iota(tree_.order.begin(), tree_.order.end(), Index{0});
  }

  ClusterTree build() {
    add(0, tree_.size());
    tree_.point = points_;
    return std::move(tree_);
  }

 private:
  Index add(Index begin, Index end) {
    const auto self = static_cast<Index>(tree_.cluster.size());
    tree_.cluster.push_back(box_of(begin, end));
    if (end - begin <= leaf_size_) return self;
    const Index middle = halve(tree_.cluster.back());
    const Index left = add(begin, middle), right = add(middle, end);
    tree_.cluster[usize(self)].left = left;
    tree_.cluster[usize(self)].right = right;
    return self;
  }

  Cluster box_of(Index begin, Index end) const {
    Cluster cluster{.begin = begin, .end = end};
    for (Index at = begin; at < end; ++at) {
      const Point& p = points_[usize(tree_.order[usize(at)])];
      for (std::size_t d = 0; d < 3; ++d) {
        cluster.low[d] = at == begin ? p[d] : std::min(cluster.low[d], p[d]);
        cluster.high[d] = at == begin ? p[d] : std::max(cluster.high[d], p[d]);
      }
    }
    return cluster;
  }

  // Ties in the coordinate are broken by point number: the same order everywhere.
  Index halve(const Cluster& cluster) {
    const Point side = cluster.high - cluster.low;
    const auto axis = usize(std::max_element(side.begin(), side.end()) - side.begin());
    const auto first = tree_.order.begin();
    const Index middle = cluster.begin + (cluster.size() + 1) / 2;
    std::nth_element(first + cluster.begin, first + middle, first + cluster.end, [&](Index a, Index b) {
      const double of_a = points_[usize(a)][axis], of_b = points_[usize(b)][axis];
      return of_a != of_b ? of_a < of_b : a < b;
    });
    return middle;
  }

  const std::vector<Point>& points_;
  const Index leaf_size_;
  ClusterTree tree_;
};

class BlockBuilder {
 public:
  BlockBuilder(const ClusterTree& tree, const BlockOptions& options) : tree_(tree), options_(options) {}

  std::vector<Block> build() {
    add(0, 0);
    return std::move(blocks_);
  }

 private:
  void add(Index row, Index col) {
    const Cluster &r = tree_.cluster[usize(row)], &c = tree_.cluster[usize(col)];
    if (is_admissible(r, c)) return blocks_.push_back({row, col, true});
    if (r.is_leaf() && c.is_leaf()) return blocks_.push_back({row, col, false});
    for (const Index below_row : below(row)) {
      for (const Index below_col : below(col)) add(below_row, below_col);
    }
  }

  bool is_admissible(const Cluster& r, const Cluster& c) const {
    const double between = distance(r, c);
    return std::min(r.size(), c.size()) >= options_.least_side && between > 0 &&
           std::min(r.diameter(), c.diameter()) <= options_.eta * between;
  }

  std::vector<Index> below(Index cluster) const {
    const Cluster& c = tree_.cluster[usize(cluster)];
    if (c.is_leaf()) return {cluster};
    return {c.left, c.right};
  }

  const ClusterTree& tree_;
  const BlockOptions& options_;
  std::vector<Block> blocks_;
};

}  // namespace

double distance(const Cluster& a, const Cluster& b) {
  Point between{};
  for (std::size_t d = 0; d < 3; ++d)
    between[d] = std::max({0.0, a.low[d] - b.high[d], b.low[d] - a.high[d]});
  return length(between);
}

ClusterTree make_cluster_tree(const std::vector<Point>& points, Index leaf_size) {
  if (leaf_size < 1)
    throw Error(ErrorKind::usage, fmt::format("clusters of at most {} points", leaf_size),
                "give one or more");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!std::ranges::all_of(points[i], [](double x) { return std::isfinite(x); }))
      throw Error(ErrorKind::input, fmt::format("point {} (counting from 0) is not finite", i),
                  "check the coordinates");
  return TreeBuilder(points, leaf_size).build();
}

std::vector<Block> make_blocks(const ClusterTree& tree, const BlockOptions& options) {
  if (tree.order.empty()) return {};
  return BlockBuilder(tree, options).build();
}

}  // namespace trisweep::hmatrix
