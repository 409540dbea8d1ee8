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

static_assert(sizeof(int) == sizeof(Index));

// A subdomain's vertices, from 0 on, and behind them those around it, with the edges between them.
struct Subdomain {
  Index inner;
  std::vector<int> ptr{0};
  std::vector<int> adjacent;

  // `place`: -1 for each vertex of `graph`, and so again afterwards.
  Subdomain(const Graph& graph, std::span<const Index> vertices, std::vector<Index>& place)
      : inner(static_cast<Index>(vertices.size())) {
    for (Index k = 0; k < inner; ++k) place[usize(vertices[usize(k)])] = k;
    std::vector<Index> around;
    std::vector<int> degree_around;
    std::size_t edges = 0;
    for (const Index v : vertices) edges += usize(graph.degree(v));
    adjacent.reserve(edges);
    for (const Index v : vertices) {
      for (const Index w : graph.neighbours(v)) {
        Index& at = place[usize(w)];
        if (at < 0) {
          at = inner + static_cast<Index>(around.size());
          around.push_back(w);
          degree_around.push_back(0);
        }
        if (at >= inner) ++degree_around[usize(at - inner)];
        adjacent.push_back(at);
      }
      ptr.push_back(static_cast<int>(adjacent.size()));
    }
    for (const Index v : vertices) place[usize(v)] = -1;
    for (const Index v : around) place[usize(v)] = -1;
    add_rows_around(degree_around);
  }

  Index vertices() const { return static_cast<Index>(ptr.size()) - 1; }
  Index edges() const { return static_cast<Index>(adjacent.size()); }

 private:
  void add_rows_around(const std::vector<int>& degree) {
    std::vector<int> next;
    for (const int count : degree) {
      next.push_back(ptr.back());
      ptr.push_back(ptr.back() + count);
    }
    adjacent.resize(usize(ptr.back()));
    for (Index v = 0; v < inner; ++v) {
      for (int p = ptr[usize(v)]; p < ptr[usize(v) + 1]; ++p) {
        const Index w = adjacent[usize(p)];
        if (w >= inner) adjacent[usize(next[usize(w - inner)]++)] = v;
      }
    }
  }
};

}  // namespace

// The graph is what camd_order() would make of a matrix: symmetric, without loops. So its kernel is called at
// once, on a copy with the room behind it that the other has, too.
MinimumDegree order_by_minimum_degree(const Graph& graph, std::span<const Index> vertices,
                                      std::vector<Index>& place) {
  Subdomain domain(graph, vertices, place);
  MinimumDegree result;
  if (domain.edges() == 0) {
    result.order.assign(vertices.begin(), vertices.end());
    return result;
  }
  const auto n = usize(domain.vertices());
  const auto edges = domain.edges();
  const auto room = usize(edges) + usize(edges) / 5 + n;
  if (room > usize(std::numeric_limits<int>::max()))
    throw Error(ErrorKind::environment, "the graph is too large for minimum degree",
                "try METIS or the natural order instead");
  std::array<double, CAMD_CONTROL> control{};
  std::array<double, CAMD_INFO> info{};
  camd_defaults(control.data());
  std::vector<int> begin(domain.ptr.begin(), domain.ptr.end() - 1), degree(n), constraint(n, 1);
  std::fill_n(constraint.begin(), domain.inner, 0);
  for (std::size_t v = 0; v < n; ++v) degree[v] = domain.ptr[v + 1] - domain.ptr[v];
  domain.adjacent.resize(room);
  std::array<std::vector<int>, 8> work;
  for (auto& list : work) list.resize(n + 1);
  auto& [sizes, next, order, head, elements, degrees, marks, buckets] = work;
  camd_2(domain.vertices(), begin.data(), domain.adjacent.data(), degree.data(), static_cast<int>(room),
         edges, sizes.data(), next.data(), order.data(), head.data(), elements.data(), degrees.data(),
         marks.data(), control.data(), info.data(), constraint.data(), buckets.data());
  result.order.reserve(vertices.size());
  for (std::size_t k = 0; k < n; ++k) {
    if (order[k] < domain.inner) result.order.push_back(vertices[usize(order[k])]);
  }
  result.flops = 2 * info[CAMD_NMULTSUBS_LDL];
  return result;
}

}  // namespace trisweep::ordering
