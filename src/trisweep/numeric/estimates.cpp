#include "trisweep/numeric/estimates.hpp"

#include <algorithm>
#include <vector>

#include "trisweep/numeric/front_panels.hpp"

namespace trisweep::numeric {

Estimates estimate_factors(const symbolic::Structure& s, Kind kind, std::size_t scalar_bytes) {
  Estimates e;
  Offset stored = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Offset w = s.width(k), m = s.height(k);
    e.nonzeros_l += w * (w + 1) / 2 + w * m;
    stored += w * w + (has_upper(kind) ? 2 : 1) * w * m;
    e.flops += factor_flops(s.width(k), s.height(k), kind);
    e.inversion_flops += inversion_flops(s.width(k), s.height(k), kind);
  }
  if (has_upper(kind)) e.nonzeros_u = e.nonzeros_l;
  e.factor_bytes = usize(stored) * scalar_bytes;
  return e;
}

Estimates estimate(const symbolic::Structure& s, Kind kind, std::size_t scalar_bytes) {
  Estimates e = estimate_factors(s, kind, scalar_bytes);
  const FrontTree tree = build_front_tree(s);
  const auto peak = std::ranges::max_element(tree.stack);
  e.stack_bytes = peak == tree.stack.end() ? 0 : usize(*peak) * scalar_bytes;
  e.front_bytes = usize(largest_front_entries(tree, s, kind)) * scalar_bytes;
  return e;
}

int useful_threads(const symbolic::Structure& s, Kind kind, int most) {
  constexpr double flops_of_supernode = 1000;  // that take as long as its bookkeeping
  constexpr double flops_for_thread = 2e6;     // a millisecond of small fronts
  constexpr double least_gain = 1.25;
  double work = 0, longest = 0;
  std::vector<double> path(usize(s.supernodes()));  // by supernode: work of the longest path that ends in it
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index w = s.width(k), m = s.height(k), up = s.parent[usize(k)];
    const double own = factor_flops(w, m, kind) + inversion_flops(w, m, kind) + flops_of_supernode;
    work += own;
    path[usize(k)] += own;
    longest = std::max(longest, path[usize(k)]);
    if (up >= 0) path[usize(up)] = std::max(path[usize(up)], path[usize(k)]);
  }
  if (work < least_gain * longest) return 1;
  return std::clamp(static_cast<int>(std::min(work / flops_for_thread, double(most))), 1, most);
}

}  // namespace trisweep::numeric
