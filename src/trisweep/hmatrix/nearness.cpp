#include "trisweep/hmatrix/nearness.hpp"

#include <algorithm>

namespace trisweep::hmatrix {
namespace {

// So many pairs of points are looked at: all of those of a small block.
constexpr Offset most_pairs = 1024;

class NearestPair {
 public:
  explicit NearestPair(const ClusterTree& tree) : tree_(tree) {}

  std::vector<double> distances(const Cluster& from, Index point) const {
    std::vector<double> squares(usize(from.size()));
    for (Index k = 0; k < from.size(); ++k) {
      const Point apart = at(from.begin + k) - at(point);
      squares[usize(k)] = dot(apart, apart);
    }
    return squares;
  }
  Index nearest(const Cluster& from, Index point) const {
    const auto squares = distances(from, point);
    return from.begin + static_cast<Index>(std::ranges::min_element(squares) - squares.begin());
  }
  double apart(Index a, Index b) const { return dot(at(a) - at(b), at(a) - at(b)); }

 private:
  const Point& at(Index place) const { return tree_.point[usize(tree_.order[usize(place)])]; }

  const ClusterTree& tree_;
};

}  // namespace

Nearness nearness(const ClusterTree& tree, const Cluster& rows, const Cluster& cols) {
  if (tree.point.empty()) return {};
  const NearestPair pairs(tree);
  const auto step = static_cast<Index>(Offset{rows.size()} * cols.size() / most_pairs) + 1;
  Index row = rows.begin, col = cols.begin;
  for (Index j = cols.begin; j < cols.end; j += step) {
    const Index i = pairs.nearest(rows, j);
    if (pairs.apart(i, j) <= pairs.apart(row, col)) row = i, col = j;
  }
  if (step > 1) {
    col = pairs.nearest(cols, row);
    row = pairs.nearest(rows, col);
  }
  return {pairs.distances(rows, col), pairs.distances(cols, row)};
}

}  // namespace trisweep::hmatrix
