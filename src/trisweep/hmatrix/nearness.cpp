#include "trisweep/hmatrix/nearness.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace trisweep::hmatrix {
namespace {

// Distances are computed to this many points of the other side: those nearest to, or farthest from, the box
// of this side.
constexpr Index most_others = 16;

double square_to_box(const Cluster& box, const Point& p, bool farthest) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double below = box.low[d] - p[d], above = p[d] - box.high[d];
    const double apart =
        farthest ? std::max(std::abs(below), std::abs(above)) : std::max({0.0, below, above});
    sum += apart * apart;
  }
  return sum;
}

std::vector<Point> ends_of(const ClusterTree& tree, const Cluster& side, const Cluster& other,
                           bool farthest) {
  std::vector<std::pair<double, Index>> found;
  for (Index k = side.begin; k < side.end; ++k) {
    const Index number = tree.order[usize(k)];
    const double square = square_to_box(other, tree.point[usize(number)], farthest);
    found.emplace_back(farthest ? -square : square, number);
  }
  const auto last = found.begin() + std::min(most_others, side.size());
  std::partial_sort(found.begin(), last, found.end());
  std::vector<Point> ends;
  std::transform(found.begin(), last, std::back_inserter(ends),
                 [&](const auto& end) { return tree.point[usize(end.second)]; });
  return ends;
}

// Squared distance of each point of `side` from the nearest or farthest of the ends of `other`.
std::vector<double> squares(const ClusterTree& tree, const Cluster& side, const Cluster& other,
                            bool farthest) {
  const std::vector<Point> ends = ends_of(tree, other, side, farthest);
  std::vector<double> squares;
  for (Index k = side.begin; k < side.end; ++k) {
    const Point& point = tree.point[usize(tree.order[usize(k)])];
    const auto square = [&](const Point& end) { return dot(end - point, end - point); };
    double best = square(ends.front());
    for (const Point& end : ends) best = farthest ? std::max(best, square(end)) : std::min(best, square(end));
    squares.push_back(best);
  }
  return squares;
}

}  // namespace

Nearness nearness(const ClusterTree& tree, const Cluster& side, const Cluster& other) {
  if (tree.point.empty()) return {};
  return {squares(tree, side, other, false), squares(tree, side, other, true)};
}

}  // namespace trisweep::hmatrix
