#include <camd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {
// The graph is what camd_order() would make of a matrix: symmetric, without loops. So its kernel is called at
// once, on a copy with the room behind it that the other has, too.
MinimumDegree order_by_minimum_degree(const Graph& graph, std::span<const Index> vertices,
                                      std::vector<Index>& place) {
  static_assert(sizeof(int) == sizeof(Index));
  Graph domain = with_halo(graph, vertices, place);
  MinimumDegree result;
  if (domain.edges() == 0) {
    result.order.assign(vertices.begin(), vertices.end());
    return result;
  }
  const auto n = usize(domain.vertices()), inner = vertices.size();
  const Index edges = domain.edges();
  const auto room = usize(edges) + usize(edges) / 5 + n;
  if (room > usize(std::numeric_limits<int>::max()))
    throw Error(ErrorKind::environment, "the graph is too large for minimum degree",
                "try METIS or the natural order instead");
  std::array<double, CAMD_CONTROL> control{};
  std::array<double, CAMD_INFO> info{};
  camd_defaults(control.data());
  std::vector<int> begin(domain.ptr.begin(), domain.ptr.end() - 1), degree(n), constraint(n, 1);
  std::fill_n(constraint.begin(), inner, 0);
  for (Index v = 0; v < domain.vertices(); ++v) degree[usize(v)] = domain.degree(v);
  domain.adjacent.resize(room);
  std::array<std::vector<int>, 8> work;
  for (auto& list : work) list.resize(n + 1);
  auto& [sizes, next, order, head, elements, degrees, marks, buckets] = work;
  camd_2(domain.vertices(), begin.data(), domain.adjacent.data(), degree.data(), static_cast<int>(room),
         edges, sizes.data(), next.data(), order.data(), head.data(), elements.data(), degrees.data(),
         marks.data(), control.data(), info.data(), constraint.data(), buckets.data());
  result.order.reserve(inner);
  for (std::size_t k = 0; k < n; ++k) {
    if (usize(order[k]) < inner) result.order.push_back(vertices[usize(order[k])]);
  }
  result.flops = 2 * info[CAMD_NMULTSUBS_LDL];
  return result;
}

}  // namespace trisweep::ordering
