#include <amd.h>
#include <camd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {
namespace {

// METIS takes one or two microseconds per edge.
constexpr double flops_of_dissecting_an_edge = 2000;

}  // namespace

bool costs_less_than_dissecting(const MinimumDegree& order, const Graph& graph) {
  const double weight = double(graph.total_weight()) / std::max(graph.vertices(), 1);
  return order.flops * weight * weight * weight <= flops_of_dissecting_an_edge * graph.edges();
}

// The graph has the form that amd_order() and camd_order() would make of a matrix: symmetric, without loops.
// So their kernels are called directly, on a copy followed by as much workspace as those functions allocate.
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
  static_assert(AMD_CONTROL == CAMD_CONTROL && AMD_INFO == CAMD_INFO);
  static_assert(AMD_NMULTSUBS_LDL == CAMD_NMULTSUBS_LDL);
  std::array<double, AMD_CONTROL> control{};
  std::array<double, AMD_INFO> info{};
  amd_defaults(control.data());
  std::vector<int> begin(domain.ptr.begin(), domain.ptr.end() - 1), degree(n);
  for (Index v = 0; v < domain.vertices(); ++v) degree[usize(v)] = domain.degree(v);
  domain.adjacent.resize(room);
  std::array<std::vector<int>, 7> work;
  for (auto& list : work) list.resize(n + 1);
  auto& [sizes, next, order, head, elements, degrees, marks] = work;
  const auto run = [&](const auto& kernel, auto... constraints) {
    kernel(domain.vertices(), begin.data(), domain.adjacent.data(), degree.data(), static_cast<int>(room),
           edges, sizes.data(), next.data(), order.data(), head.data(), elements.data(), degrees.data(),
           marks.data(), control.data(), info.data(), constraints...);
  };
  if (n == inner) {
    run(amd_2);
  } else {
    std::vector<int> constraint(n, 1), buckets(n);
    std::fill_n(constraint.begin(), inner, 0);
    run(camd_2, constraint.data(), buckets.data());
  }
  result.order.reserve(inner);
  for (std::size_t k = 0; k < n; ++k) {
    if (usize(order[k]) < inner) result.order.push_back(vertices[usize(order[k])]);
  }
  result.flops = 2 * info[AMD_NMULTSUBS_LDL];
  return result;
}

MinimumDegree order_by_minimum_degree(const matrix::Pattern& pattern) {
  std::vector<Index> all(usize(pattern.rows)), place(all.size(), -1);
  std::iota(all.begin(), all.end(), 0);
  return order_by_minimum_degree(ungrouped(pattern).graph, all, place);
}

}  // namespace trisweep::ordering
