#include <amd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {

// The graph is what amd_order() would make of a matrix: symmetric, without loops. So its kernel is called at
// once, on a copy with the room behind it that the other has, too.
MinimumDegree order_with_amd(const Graph& graph) {
  static_assert(sizeof(int) == sizeof(Index));
  MinimumDegree result;
  result.order.resize(usize(graph.vertices()));
  std::iota(result.order.begin(), result.order.end(), 0);
  if (graph.edges() == 0) return result;
  const auto n = usize(graph.vertices());
  const auto room = usize(graph.edges()) + usize(graph.edges()) / 5 + n;
  if (room > usize(std::numeric_limits<int>::max()))
    throw Error(ErrorKind::environment, "the graph is too large for AMD",
                "try METIS or the natural order instead");
  std::array<double, AMD_CONTROL> control{};
  std::array<double, AMD_INFO> info{};
  amd_defaults(control.data());
  std::vector<int> edge(room), begin(graph.ptr.begin(), graph.ptr.end() - 1), degree(n);
  std::ranges::copy(graph.adjacent, edge.begin());
  for (Index v = 0; v < graph.vertices(); ++v) degree[usize(v)] = graph.degree(v);
  std::array<std::vector<int>, 6> work;
  for (auto& list : work) list.resize(n);
  auto& [sizes, next, head, elements, degrees, marks] = work;
  amd_2(graph.vertices(), begin.data(), edge.data(), degree.data(), static_cast<int>(room), graph.edges(),
        sizes.data(), next.data(), result.order.data(), head.data(), elements.data(), degrees.data(),
        marks.data(), control.data(), info.data());
  result.flops = 2 * info[AMD_NMULTSUBS_LDL];
  return result;
}

}  // namespace trisweep::ordering
