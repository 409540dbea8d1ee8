#include "trisweep/ordering/dissection.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::ordering {

std::vector<char> balanced_sides(const std::vector<Offset>& weight, std::array<Offset, 2> load) {
  std::vector<std::size_t> by_weight(weight.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  std::vector<char> side(weight.size());
  for (const std::size_t k : by_weight) {
    side[k] = load[1] < load[0] ? 1 : 0;
    load[usize(side[k])] += weight[k];
  }
  return side;
}

}  // namespace trisweep::ordering
