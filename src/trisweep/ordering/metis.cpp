#include <metis.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {
namespace {

static_assert(sizeof(idx_t) == sizeof(Index), "this METIS has another index width than Trisweep");

constexpr char in_separator = 2;

// A component this heavy is cut; lighter ones are dealt out whole.
constexpr double cut_share = 0.6;

void check_metis(int status) {
  if (status == METIS_OK) return;
  throw Error(ErrorKind::environment,
              status == METIS_ERROR_MEMORY ? "METIS ran out of memory while ordering"
                                           : "METIS failed to order the graph",
              "try SCOTCH or the natural order instead");
}

using MetisOptions = std::array<idx_t, METIS_NOPTIONS>;

MetisOptions metis_options(Index seed) {
  MetisOptions options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_COMPRESS] = 0;  // done already, by compress()
  return options;
}

class Dissector {
 public:
  Dissector(const Graph& graph, int levels, Index seed, const LeafOrder& order_leaf, Observer& observer)
      : levels_(levels),
        total_(graph.total_weight()),
        options_(metis_options(seed)),
        order_(order_leaf),
        observer_(observer),
        nodes_(std::size_t{2} << levels) {}

  // `names`: the vertices of `graph` in the graph that is dissected.
  void dissect(Graph graph, std::vector<Index> names, Index node) {
    if (graph.vertices() == 0) return;
    if (node >= Index{1} << levels_) {
      order_leaf(graph, names, node);
      return;
    }
    const std::vector<char> side = bisect(graph);
    std::array<std::vector<Index>, 3> part;
    for (Index v = 0; v < graph.vertices(); ++v) part[usize(side[usize(v)])].push_back(v);
    std::array<Graph, 2> half{induced(graph, part[0], place_), induced(graph, part[1], place_)};
    graph = {};  // the halves together are as large: hold no more than that down the recursion
    for (auto& list : part) {
      for (Index& v : list) v = names[usize(v)];
    }
    nodes_[usize(node)] = std::move(part[usize(in_separator)]);
    dissect(std::move(half[0]), std::move(part[0]), 2 * node);
    dissect(std::move(half[1]), std::move(part[1]), 2 * node + 1);
  }

  TreeVertices take() { return std::move(nodes_); }

 private:
  // A side, 0 or 1, or `in_separator` for each vertex.
  std::vector<char> bisect(Graph& graph) {
    std::vector<Index> component;
    const Index count = components(graph, component);
    if (count == 1) return cut(graph);
    std::vector<Offset> weight(usize(count));
    for (Index v = 0; v < graph.vertices(); ++v) weight[usize(component[usize(v)])] += graph.weight[usize(v)];
    const auto heaviest = std::max_element(weight.begin(), weight.end());
    std::vector<char> side(usize(graph.vertices()), in_separator);
    std::array<Offset, 2> load{0, 0};
    const auto cut_component = static_cast<Index>(heaviest - weight.begin());
    const bool cutting = static_cast<double>(*heaviest) > cut_share * graph.total_weight();
    if (cutting) {
      load = cut_one(graph, component, cut_component, side);
      *heaviest = 0;
    }
    const std::vector<char> side_of = balanced_sides(weight, load);
    for (Index v = 0; v < graph.vertices(); ++v) {
      const Index c = component[usize(v)];
      if (!cutting || c != cut_component) side[usize(v)] = side_of[usize(c)];
    }
    return side;
  }

  // Bisects one component of `graph`; returns the weight on each side.
  std::array<Offset, 2> cut_one(const Graph& graph, const std::vector<Index>& component, Index which,
                                std::vector<char>& side) {
    std::vector<Index> vertices;
    for (Index v = 0; v < graph.vertices(); ++v) {
      if (component[usize(v)] == which) vertices.push_back(v);
    }
    Graph part = induced(graph, vertices, place_);
    const std::vector<char> part_side = cut(part);
    std::array<Offset, 3> load{0, 0, 0};
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      side[usize(vertices[k])] = part_side[k];
      load[usize(part_side[k])] += part.weight[k];
    }
    return {load[0], load[1]};
  }

  // A connected graph; a complete one has nothing to gain, and METIS does not expect it.
  std::vector<char> cut(Graph& graph) {
    const Offset n = graph.vertices();
    if (graph.edges() == n * (n - 1)) return std::vector<char>(usize(n), in_separator);
    std::vector<Index> part(usize(n));
    Index vertices = graph.vertices(), separator_weight = 0;
    check_metis(METIS_ComputeVertexSeparator(&vertices, graph.ptr.data(), graph.adjacent.data(),
                                             graph.weight.data(), options_.data(), &separator_weight,
                                             part.data()));
    return {part.begin(), part.end()};
  }

  void order_leaf(Graph& graph, const std::vector<Index>& names, Index node) {
    std::vector<Index> ordered = order_(graph);
    for (Index& v : ordered) v = names[usize(v)];
    nodes_[usize(node)] = std::move(ordered);
    done_ += graph.total_weight();
    observer_.progress("order", static_cast<double>(done_) / total_);
  }

  int levels_;
  Index total_;
  Index done_ = 0;
  MetisOptions options_;
  const LeafOrder& order_;
  Observer& observer_;
  TreeVertices nodes_;
  std::vector<Index> place_;
};

}  // namespace

std::vector<Index> order_with_metis(Graph& graph, Index seed) {
  Index vertices = graph.vertices();
  std::vector<Index> old_of(usize(vertices)), new_of(usize(vertices));
  std::iota(old_of.begin(), old_of.end(), 0);
  if (graph.edges() == 0) return old_of;
  MetisOptions options = metis_options(seed);
  check_metis(METIS_NodeND(&vertices, graph.ptr.data(), graph.adjacent.data(), graph.weight.data(),
                           options.data(), old_of.data(), new_of.data()));
  return old_of;
}

TreeVertices dissect_with_metis(const Graph& graph, int levels, Index seed, const LeafOrder& order_leaf,
                                Observer& observer) {
  Dissector dissector(graph, levels, seed, order_leaf, observer);
  std::vector<Index> names(usize(graph.vertices()));
  std::iota(names.begin(), names.end(), 0);
  dissector.dissect(graph, std::move(names), 1);
  return dissector.take();
}

}  // namespace trisweep::ordering
