#include "trisweep/ordering/ordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/ordering/graph.hpp"
#include "trisweep/ordering/matching.hpp"
#include "trisweep/ordering/pairs.hpp"
#include "trisweep/ordering/scaling.hpp"

namespace trisweep::ordering {
namespace {

// A leaf of the separator tree has at least about this many columns.
constexpr Index smallest_leaf = 32;

// A vertex with this many times the average degree, and more than this many times sqrt(n), is a hub.
constexpr double hub_ratio = 10;

void check_options(Index rows, Index cols, const OrderingOptions& options) {
  if (rows != cols) {
    throw Error(ErrorKind::usage, fmt::format("the matrix is not square: {} x {}", rows, cols),
                "only square systems can be solved");
  }
  if (options.tree_levels < 0 || options.tree_levels > most_levels) {
    throw Error(ErrorKind::usage, fmt::format("tree_levels is {}", options.tree_levels),
                fmt::format("choose a number from 0 to {}", most_levels));
  }
}

[[noreturn]] void throw_empty(const char* what, Index index) {
  throw Error(
      ErrorKind::numerical,
      fmt::format("the matrix is structurally singular: {} {} (counting from 0) has no nonzero", what, index),
      "check how the matrix was assembled: which equation or unknown is missing there");
}

// Throws unless every row and column has a nonzero and all values are finite.
template <class T>
void check_values(const matrix::Csr<T>& a, const RowNumbers& numbers) {
  std::vector<char> row(usize(a.rows())), col(usize(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      const auto magnitude = std::abs(a.value[usize(p)]);
      const Index j = a.pattern.col[usize(p)];
      if (!std::isfinite(magnitude)) {
        throw Error(ErrorKind::input,
                    fmt::format("the entry in row {}, column {} (counting from 0) is not finite", numbers(i),
                                numbers(j)),
                    "look for a division by zero or an overflow where the matrix is made");
      }
      if (magnitude != 0) row[usize(i)] = col[usize(j)] = 1;
    }
  }
  const auto require_none_empty = [&](const char* what, const std::vector<char>& filled) {
    const auto empty = std::find(filled.begin(), filled.end(), 0);
    if (empty != filled.end()) throw_empty(what, numbers(static_cast<Index>(empty - filled.begin())));
  };
  require_none_empty("row", row);
  require_none_empty("column", col);
}

Matching diagonal_matching(Index n) {
  Matching matching{.col_of_row = std::vector<Index>(usize(n)), .scaling = unit_scaling(n)};
  std::iota(matching.col_of_row.begin(), matching.col_of_row.end(), 0);
  return matching;
}

// The column that each row puts on the diagonal, and the scaling of rows and columns.
template <class T>
Matching prepare(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options,
                 Observer& observer) {
  const bool matched = options.matching && (!symmetric || options.pairs);
  Matching matching = matched ? match_large_entries(a, observer, {options.balanced, options.numbers})
                              : diagonal_matching(a.rows());
  if (!options.equilibrate) {
    matching.scaling = unit_scaling(a.rows());
  } else if (symmetric) {
    matching.scaling = !options.pairs ? equilibrate_symmetrically(a)
                                      : symmetric_scaling(matched ? matching.scaling : equilibrate(a));
  } else if (!matched) {
    matching.scaling = equilibrate(a);
  }
  return matching;
}

// Row i becomes row new_row[i].
matrix::Pattern with_rows_permuted(const matrix::Pattern& a, const std::vector<Index>& new_row) {
  matrix::Pattern b{.rows = a.rows, .cols = a.cols, .row_ptr = {0}, .col = {}};
  std::vector<Index> old_row(new_row.size());
  for (Index i = 0; i < a.rows; ++i) old_row[usize(new_row[usize(i)])] = i;
  b.row_ptr.reserve(a.row_ptr.size());
  b.col.reserve(a.col.size());
  for (const Index i : old_row) {
    b.col.insert(b.col.end(), a.row(i).begin(), a.row(i).end());
    b.row_ptr.push_back(static_cast<Offset>(b.col.size()));
  }
  return b;
}

// Vertices that are joined to a large part of the graph. They come last, in the root separator: whatever is
// eliminated after a hub's neighbours fills its row anyway, and dissecting around it only hides the structure
// of the rest.
std::vector<Index> hubs(const Graph& graph) {
  const double average = static_cast<double>(graph.edges()) / graph.vertices();
  const double bound = hub_ratio * std::max(average, std::sqrt(static_cast<double>(graph.vertices())));
  std::vector<Index> result;
  for (Index v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) > bound) result.push_back(v);
  }
  return result;
}

TreeVertices dissect(Graph graph, const Dissection& how, const OrderingOptions& options, Observer& observer) {
  // A graph without edges only needs distributing to leaves, which SCOTCH does not do.
  if (options.method == Method::scotch && graph.edges() > 0)
    return dissect_with_scotch(graph, how.levels, how.seed, observer);
  const Index n = graph.vertices();
  return dissect_with_metis({std::move(graph), n, how}, options.helpers, observer);
}

TreeVertices dissect_around_hubs(Graph graph, const Dissection& how, const OrderingOptions& options,
                                 Observer& observer) {
  const std::vector<Index> hub = hubs(graph);
  if (hub.empty()) return dissect(std::move(graph), how, options, observer);
  std::vector<Index> others(usize(graph.vertices())), rest, place;
  std::iota(others.begin(), others.end(), 0);
  std::set_difference(others.begin(), others.end(), hub.begin(), hub.end(), std::back_inserter(rest));
  TreeVertices nodes = dissect(induced(graph, rest, place), how, options, observer);
  for (auto& list : nodes) {
    for (Index& v : list) v = rest[usize(v)];
  }
  nodes[1].insert(nodes[1].end(), hub.begin(), hub.end());
  return nodes;
}

// The separator tree, and the new number of each column of the matrix.
struct Numbering {
  SeparatorTree tree;
  std::vector<Index> new_of;
};

// One node, with the columns in their given order.
Numbering natural_numbering(Index n) {
  Numbering numbering{.tree = {.levels = 0, .begin = {0, 0}, .end = {0, n}},
                      .new_of = std::vector<Index>(usize(n))};
  std::iota(numbering.new_of.begin(), numbering.new_of.end(), 0);
  return numbering;
}

// Numbers the columns node by node.
Numbering numbered(const Compressed& compressed, const TreeVertices& nodes) {
  std::vector<Index> size(nodes.size());
  for (std::size_t t = 1; t < nodes.size(); ++t) {
    for (const Index vertex : nodes[t]) size[t] += static_cast<Index>(compressed.members(vertex).size());
  }
  Numbering numbering{.tree = tree_of_sizes(size), .new_of = std::vector<Index>(compressed.member.size())};
  for (std::size_t t = 1; t < nodes.size(); ++t) {
    Index next = numbering.tree.begin[t];
    for (const Index vertex : nodes[t]) {
      for (const Index column : compressed.members(vertex)) numbering.new_of[usize(column)] = next++;
    }
  }
  return numbering;
}

// A symmetric pattern, and its order by minimum degree if that was looked for.
struct PatternToOrder {
  matrix::Pattern pattern;
  std::optional<MinimumDegree> by_minimum_degree{};
};

// Unites the rows of pairs; only those that `needed` leaves, if all would fill much more. Pivots of order 1
// may then be delayed, which costs, too.
PatternToOrder with_useful_pairs(const matrix::Pattern& pattern, std::vector<Index>& partner,
                                 std::vector<Index> needed, Method method) {
  constexpr double worth_delays = 0.7;
  constexpr Index few = 100;  // rows per row of pairs that are not needed: these hardly fill
  PatternToOrder all{with_pairs_united(pattern, partner)};
  Index not_needed = 0;
  for (std::size_t i = 0; i < partner.size(); ++i) not_needed += partner[i] != needed[i];
  if (method == Method::natural || Offset{not_needed} * few <= pattern.rows) return all;
  PatternToOrder some{with_pairs_united(pattern, needed)};
  all.by_minimum_degree = order_by_minimum_degree(all.pattern);
  some.by_minimum_degree = order_by_minimum_degree(some.pattern);
  if (some.by_minimum_degree->flops > worth_delays * all.by_minimum_degree->flops) return all;
  partner = std::move(needed);
  return some;
}

// Orders by minimum degree alone, if no separators are needed and the method is `amd` or this costs less;
// else nullopt.
std::optional<Numbering> undissected(const PatternToOrder& a, const OrderingOptions& options) {
  if (options.method != Method::automatic && options.method != Method::amd) return std::nullopt;
  if (options.needed_levels > 0) return std::nullopt;
  const Compressed single = ungrouped(a.pattern);  // minimum degree groups unknowns itself
  MinimumDegree found = a.by_minimum_degree ? *a.by_minimum_degree : order_by_minimum_degree(a.pattern);
  if (options.method == Method::automatic && !costs_less_than_dissecting(found, single.graph))
    return std::nullopt;
  return numbered(single, {{}, std::move(found.order)});
}

Dissection dissection(Index n, const OrderingOptions& options) {
  Dissection how{.seed = options.seed};
  const bool needed_alone = options.method == Method::automatic || options.method == Method::amd;
  how.levels = tree_levels(n, needed_alone ? OrderingOptions{.tree_levels = options.needed_levels} : options);
  if (options.method == Method::amd) how.undivided = n;
  how.by_cost = options.method == Method::automatic && options.needed_levels > 0;
  return how;
}

Numbering number(const PatternToOrder& a, const OrderingOptions& options, Observer& observer) {
  if (options.method == Method::natural) return natural_numbering(a.pattern.rows);
  if (auto numbering = undissected(a, options)) return *std::move(numbering);
  Compressed compressed = compress(a.pattern, options.pairs);
  const Dissection how = dissection(a.pattern.rows, options);
  const TreeVertices nodes = dissect_around_hubs(std::move(compressed.graph), how, options, observer);
  return numbered(compressed, nodes);
}

template <class T>
OrderedPattern order_checked(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options,
                             Observer& observer) {
  check_options(a.rows(), a.cols(), options);
  check_values(a, options.numbers);
  Matching matching = prepare(a, symmetric, options, observer);
  Ordering ordering;
  std::vector<Index> needed;  // of the pairs
  if (symmetric && options.pairs) {
    const auto diagonal = scaled_diagonal(a, matching.scaling);
    ordering.partner = pairs_of(diagonal, matching.col_of_row);
    needed = without_good_pivots(diagonal, ordering.partner);
    matching.col_of_row = diagonal_matching(a.rows()).col_of_row;
  }
  if (options.helpers) options.helpers->let_values_go();
  PatternToOrder to_order{matrix::symmetrized(with_rows_permuted(a.pattern, matching.col_of_row))};
  if (!ordering.partner.empty())
    to_order = with_useful_pairs(to_order.pattern, ordering.partner, std::move(needed), options.method);
  Numbering numbering = number(to_order, options, observer);
  ordering.col_new = std::move(numbering.new_of);
  ordering.row_new.reserve(ordering.col_new.size());
  for (const Index j : matching.col_of_row) ordering.row_new.push_back(ordering.col_new[usize(j)]);
  ordering.row_scale = std::move(matching.scaling.row);
  ordering.col_scale = std::move(matching.scaling.col);
  ordering.tree = std::move(numbering.tree);
  matrix::Pattern pattern = matrix::permuted(to_order.pattern, ordering.col_new, ordering.col_new);
  observer.progress("order", 1.0);
  return {std::move(ordering), std::move(pattern)};
}

}  // namespace

int tree_levels(Index n, const OrderingOptions& options) {
  int levels = 0;
  while (levels < options.tree_levels && (n >> (levels + 1)) >= smallest_leaf) ++levels;
  return levels;
}

SeparatorTree tree_of_sizes(const std::vector<Index>& size) {
  SeparatorTree tree{.levels = level_of(static_cast<Index>(size.size())) - 1, .begin = size, .end = size};
  Index next = 0;
  const auto place = [&](const auto& self, Index t) -> void {
    if (!tree.is_leaf(t)) {
      self(self, 2 * t);
      self(self, 2 * t + 1);
    }
    tree.begin[usize(t)] = next;
    tree.end[usize(t)] = next += size[usize(t)];
  };
  place(place, 1);
  return tree;
}

int levels_to_parts(Index parts) {
  return std::bit_width(static_cast<unsigned>(parts - 1));
}

template <Scalar T>
Ordering order(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options, Observer& observer) {
  return order_pattern(a, symmetric, options, observer).ordering;
}

template <Scalar T>
OrderedPattern order_pattern(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options,
                             Observer& observer) {
  try {
    OrderingOptions alone = options;
    if (alone.method == Method::ptscotch) alone.method = Method::automatic;
    return order_checked(a, symmetric, alone, observer);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment,
                fmt::format("not enough memory to order a matrix of {} rows", a.rows()),
                "use a machine with more memory, or the natural order");
  }
}

#define INSTANTIATE(T)                                                                     \
  template Ordering order(const matrix::Csr<T>&, bool, const OrderingOptions&, Observer&); \
  template OrderedPattern order_pattern(const matrix::Csr<T>&, bool, const OrderingOptions&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
