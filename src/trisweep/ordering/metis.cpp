#include <metis.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::ordering {
namespace {

static_assert(sizeof(idx_t) == sizeof(Index), "this METIS has another index width than Trisweep");

constexpr char in_separator = 2;

// A component with more than this share of the weight is cut; lighter ones go to one side whole.
constexpr double cut_share = 0.6;

void check_metis(int status) {
  if (status == METIS_OK) return;
  throw Error(ErrorKind::environment,
              status == METIS_ERROR_MEMORY ? "METIS ran out of memory while ordering"
                                           : "METIS failed to order the graph",
              "try SCOTCH or the natural order instead");
}

// Smaller subdomains, which take less than a few milliseconds, are not given to helpers.
constexpr Index least_edges_to_give = 10000;

using MetisOptions = std::array<idx_t, METIS_NOPTIONS>;

MetisOptions metis_options(Index seed) {
  MetisOptions options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_COMPRESS] = 0;  // done already, by compress()
  return options;
}

// A graph, and the numbers of its vertices in the whole graph that is dissected (which may be the same).
struct Domain {
  std::shared_ptr<const Graph> graph;
  std::vector<Index> names;

  Index vertices() const { return graph->vertices(); }
};

class Dissector {
 public:
  Dissector(const Subdomain& domain, Helpers* helpers, Observer& observer)
      : whole_(domain.graph),
        total_(whole_.total_weight()),
        how_(domain.how),
        helpers_(helpers),
        options_(metis_options(how_.seed)),
        observer_(observer),
        nodes_(std::size_t{2} << how_.levels),
        place_in_whole_(usize(whole_.vertices()), -1) {}

  void dissect(Domain domain, Index node) {
    if (node >= Index{1} << how_.levels) {
      order_leaf(std::move(domain), nodes_[usize(node)]);
    } else if (domain.vertices() > 0) {
      auto [half, separator] = split(std::move(domain));
      nodes_[usize(node)] = std::move(separator);
      const auto answer = give(half[1], 2 * node + 1);
      dissect(std::move(half[0]), 2 * node);
      if (answer) {
        adopt(answer->take(), half[1].names, 2 * node + 1);
      } else {
        dissect(std::move(half[1]), 2 * node + 1);
      }
    }
  }

  TreeVertices take() { return std::move(nodes_); }

 private:
  struct Split {
    std::array<Domain, 2> half;
    std::vector<Index> separator;
  };

  Split split(Domain domain) {
    const std::vector<char> side = bisect(*domain.graph);
    std::array<std::vector<Index>, 3> part;
    for (Index v = 0; v < domain.vertices(); ++v) part[usize(side[usize(v)])].push_back(v);
    Split result;
    for (const std::size_t k : {0, 1})
      result.half[k].graph = std::make_shared<const Graph>(induced(*domain.graph, part[k], place_));
    domain.graph.reset();  // the halves together are as large: free it before the recursion
    for (auto& list : part) {
      for (Index& v : list) v = domain.names[usize(v)];
    }
    for (const std::size_t k : {0, 1}) result.half[k].names = std::move(part[k]);
    result.separator = std::move(part[usize(in_separator)]);
    return result;
  }

  // Gives the subtree below `node` to a helper; null if none takes it.
  std::unique_ptr<Helpers::Answer> give(Domain& domain, Index node) {
    if (!helpers_ || domain.graph->edges() < least_edges_to_give) return nullptr;
    Subdomain given{
        .graph = with_halo(whole_, domain.names, place_in_whole_), .inner = domain.vertices(), .how = how_};
    given.how.levels -= level_of(node);
    auto answer = helpers_->give(given);
    if (answer) domain.graph.reset();
    return answer;
  }

  // Stores the nodes of a subtree that a helper dissected.
  void adopt(const TreeVertices& subtree, const std::vector<Index>& names, Index root) {
    for (Index t = 1; t < std::ssize(subtree); ++t) {
      const Index top = Index{1} << level_of(t);
      std::vector<Index> order;
      for (const Index v : subtree[usize(t)]) order.push_back(names[usize(v)]);
      append(order, nodes_[usize(root * top + (t - top))]);
    }
  }

  // Appends the domain's vertices to `order`.
  void order_leaf(Domain domain, std::vector<Index>& order) {
    if (how_.by_cost && domain.graph->total_weight() > how_.undivided) {
      const MinimumDegree found = by_minimum_degree(domain);
      if (costs_less_than_dissecting(found, *domain.graph)) {
        append(found.order, order);
        return;
      }
    }
    order_domain(std::move(domain), order);
  }

  void order_domain(Domain domain, std::vector<Index>& order) {
    const Index n = domain.vertices();
    if (domain.graph->total_weight() <= how_.undivided) {
      append(by_minimum_degree(domain).order, order);
      return;
    }
    auto [half, separator] = split(std::move(domain));
    for (Domain& one : half) {
      if (one.vertices() == n) {  // METIS found no separator
        append(by_minimum_degree(one).order, order);
      } else {
        order_domain(std::move(one), order);
      }
    }
    append(separator, order);
  }

  MinimumDegree by_minimum_degree(const Domain& domain) {
    return order_by_minimum_degree(whole_, domain.names, place_in_whole_);
  }

  void append(const std::vector<Index>& names, std::vector<Index>& order) {
    order.insert(order.end(), names.begin(), names.end());
    for (const Index v : names) done_ += whole_.weight[usize(v)];
    observer_.progress("order", static_cast<double>(done_) / total_);
  }

  // Returns the side, 0 or 1, or `in_separator` for each vertex.
  std::vector<char> bisect(const Graph& graph) {
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
    const Graph part = induced(graph, vertices, place_);
    const std::vector<char> part_side = cut(part);
    std::array<Offset, 3> load{0, 0, 0};
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      side[usize(vertices[k])] = part_side[k];
      load[usize(part_side[k])] += part.weight[k];
    }
    return {load[0], load[1]};
  }

  // Cuts a connected graph. A complete one has nothing to gain, and METIS does not expect it.
  std::vector<char> cut(const Graph& graph) {
    const Offset n = graph.vertices();
    if (graph.edges() == n * (n - 1)) return std::vector<char>(usize(n), in_separator);
    // METIS stores the graph, one of half the vertices, and so on, and ends the program if it gets no memory
    // for them. Small graphs are many, and checking one takes longer than cutting it.
    constexpr std::size_t of_vertex = 24 * sizeof(idx_t), of_edge = 8 * sizeof(idx_t), small = 1 << 24;
    const std::size_t bytes = usize(n) * of_vertex + usize(graph.edges()) * of_edge;
    if (bytes > small) require_memory(bytes, "ordering");
    std::vector<Index> part(usize(n));
    Index vertices = graph.vertices(), separator_weight = 0;
    const auto read = [](const std::vector<Index>& list) {
      return const_cast<Index*>(list.data());  // METIS does not write to them
    };
    check_metis(METIS_ComputeVertexSeparator(&vertices, read(graph.ptr), read(graph.adjacent),
                                             read(graph.weight), options_.data(), &separator_weight,
                                             part.data()));
    return {part.begin(), part.end()};
  }

  const Graph& whole_;
  Index total_;
  Dissection how_;
  Helpers* helpers_;
  MetisOptions options_;
  Observer& observer_;
  TreeVertices nodes_;
  std::vector<Index> place_in_whole_;
  std::vector<Index> place_;
  Index done_ = 0;
};

}  // namespace

TreeVertices dissect_with_metis(const Subdomain& domain, Helpers* helpers, Observer& observer) {
  Dissector dissector(domain, helpers, observer);
  Domain all;
  all.names.resize(usize(domain.inner));
  std::iota(all.names.begin(), all.names.end(), 0);
  if (domain.inner == domain.graph.vertices()) {
    all.graph = {std::shared_ptr<void>(), &domain.graph};
  } else {
    std::vector<Index> place;
    all.graph = std::make_shared<const Graph>(induced(domain.graph, all.names, place));
  }
  dissector.dissect(std::move(all), 1);
  return dissector.take();
}

}  // namespace trisweep::ordering
