#include "trisweep/solve/parallel_analysis.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trisweep/core/memory.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"
#include "trisweep/ordering/pairs.hpp"
#include "trisweep/solve/dissected_subdomain.hpp"
#include "trisweep/solve/equilibration.hpp"
#include "trisweep/solve/grouped_rows.hpp"
#include "trisweep/solve/parallel_dissection.hpp"
#include "trisweep/solve/parallel_matching.hpp"
#include "trisweep/solve/symmetrized_rows.hpp"
#include "trisweep/symbolic/parts.hpp"

namespace trisweep::solve {
namespace {

using symbolic::DividedTree;
using symbolic::PartOfStructure;

// Where ranks have fewer rows, the graph is cheaper to gather than to dissect in parallel.
constexpr double least_rows_of_rank = 64;

// The kind of the factorization; nullopt if the matrix does not suit the one that was asked for.
template <Scalar T>
std::optional<numeric::Kind> kind_of(const SymmetrizedRows& a, const AnalysisRequest& request) {
  using numeric::Kind, numeric::KindChoice;
  const bool may_be_definite = a.is_hermitian && a.has_positive_diagonal;
  const Kind of_hermitian = is_complex<T> ? Kind::ldlh : Kind::ldlt;
  const Kind indefinite = a.is_hermitian ? of_hermitian : a.is_symmetric ? Kind::ldlt : Kind::lu;
  if (request.kind == KindChoice::lu || request.failed > 1) return Kind::lu;
  if (request.failed > 0) return indefinite;
  if (request.kind == KindChoice::automatic) return may_be_definite ? Kind::cholesky : indefinite;
  if (request.kind == KindChoice::cholesky)
    return may_be_definite ? std::optional(Kind::cholesky) : std::nullopt;
  return indefinite != Kind::lu ? std::optional(indefinite) : std::nullopt;
}

// The roots of subdomains, in the order of the tree.
void list_subdomains(const std::vector<char>& is_divided, Index node, std::vector<Index>& roots) {
  if (is_divided[usize(node)] == 0) return roots.push_back(node);
  list_subdomains(is_divided, 2 * node, roots);
  list_subdomains(is_divided, 2 * node + 1, roots);
}

// Sends each group of a subdomain to the rank that analyzes it. Returns the subdomains of this rank.
std::vector<SubdomainRows> exchange_rows(const mpi::Communicator& comm, const GroupedRows& rows,
                                         const TopOfDissection& top) {
  const matrix::Pattern& pattern = rows.pattern;
  const Index first = rows.partition.first(comm.rank());
  std::vector<Index> roots;
  auto lists = mpi::agree_on_error(comm, [&] {
    list_subdomains(top.is_divided, 1, roots);
    std::vector<Index> owner(top.is_divided.size(), -1);
    for (std::size_t s = 0; s < roots.size(); ++s)
      owner[usize(roots[s])] = static_cast<Index>(s * usize(comm.size()) / roots.size());
    std::vector<std::vector<Index>> of_rank(usize(comm.size()));
    for (Index i = 0; i < pattern.rows; ++i) {
      const Index node = top.node[usize(i)], rank = owner[usize(node)];
      if (rank < 0) continue;  // a separator
      std::vector<Index>& list = of_rank[usize(rank)];
      const auto row = pattern.row(i);
      list.insert(list.end(), {node, first + i, static_cast<Index>(row.size())});
      list.insert(list.end(), row.begin(), row.end());
    }
    return mpi::lists_of_ranks(std::move(of_rank));
  });
  lists = mpi::exchange_lists(comm, std::move(lists));
  return mpi::agree_on_error(comm, [&] {
    std::vector<SubdomainRows> subdomains;
    for (const auto& list : lists) {
      for (auto at = list.entry.begin(); at != list.entry.end();) {
        const Index node = *at++, row = *at++, size = *at++;
        auto of = std::ranges::find(subdomains, node, &SubdomainRows::root);
        if (of == subdomains.end()) of = subdomains.insert(of, SubdomainRows{.root = node});
        of->row.push_back(row);
        of->col.insert(of->col.end(), at, at + size);
        of->begin.push_back(std::ssize(of->col));
        at += size;
      }
    }
    const auto place = [&](const SubdomainRows& s) {
      return std::ranges::find(roots, s.root) - roots.begin();
    };
    std::ranges::sort(subdomains, {}, place);
    return subdomains;
  });
}

// The order of the whole matrix.
struct OrderOfRanks {
  DividedTree tree;
  std::vector<Index> number;  // of each row of the matrix; the same on every rank
};

// The same in rows, given the tree of groups and their numbers.
OrderOfRanks in_rows(const GroupedRows& groups, OrderOfRanks of_groups) {
  const auto in_order = inverse_permutation(of_groups.number);
  std::vector<Index> begin{0};  // by place of a group: the number of its first row
  OrderOfRanks order{.tree = std::move(of_groups.tree), .number = std::vector<Index>(usize(groups.rows()))};
  for (const Index group : in_order) {
    Index next = begin.back();
    for (const Index row : groups.members(group)) order.number[usize(row)] = next++;
    begin.push_back(next);
  }
  for (auto* bounds : {&order.tree.tree.begin, &order.tree.tree.end})
    for (Index& bound : *bounds) bound = begin[usize(bound)];
  return order;
}

OrderOfRanks order_of(const mpi::Communicator& comm, const TopOfDissection& top, const GroupedRows& groups,
                      const std::vector<DissectedSubdomain>& subdomains) {
  const Index first = groups.partition.first(comm.rank());
  std::vector<double> sizes;
  std::vector<std::uint64_t> numbers;
  mpi::agree_on_error(comm, [&] {
    sizes.resize(top.is_divided.size());
    for (const Index node : top.node) sizes[usize(node)] += top.is_divided[usize(node)];
    for (const DissectedSubdomain& subdomain : subdomains)
      subdomain.for_each_node(
          [&](Index node, const auto& list) { sizes[usize(node)] = double(list.size()); });
    numbers.resize(usize(groups.groups()));
  });
  comm.sum(sizes);
  OrderOfRanks order;
  mpi::agree_on_error(comm, [&] {
    order.tree = {ordering::tree_of_sizes({sizes.begin(), sizes.end()}), top.is_divided};
    const std::vector<Index>& begin = order.tree.tree.begin;
    for (std::size_t i = 0; i < top.node.size(); ++i) {
      if (top.is_divided[usize(top.node[i])] != 0)
        numbers[usize(first) + i] = static_cast<std::uint64_t>(begin[usize(top.node[i])] + top.place[i]);
    }
    for (const DissectedSubdomain& subdomain : subdomains) {
      subdomain.for_each_node([&](Index node, const auto& list) {
        for (std::size_t k = 0; k < list.size(); ++k) numbers[usize(list[k])] = usize(begin[usize(node)]) + k;
      });
    }
  });
  comm.max(numbers);
  return mpi::agree_on_error(comm, [&] {
    order.number.assign(numbers.begin(), numbers.end());
    return in_rows(groups, std::move(order));
  });
}

// This rank's entries between columns of separators, by their numbers; of two mirror images one.
std::vector<std::array<Index, 2>> entries_above(const GroupedRows& rows, Index first,
                                                const TopOfDissection& top, const OrderOfRanks& order) {
  const auto& [tree, is_above] = order.tree;
  std::vector<char> column_is_above(order.number.size());
  for (Index t = 1; t < tree.nodes(); ++t)
    std::fill(column_is_above.begin() + tree.begin[usize(t)], column_is_above.begin() + tree.end[usize(t)],
              is_above[usize(t)]);
  std::vector<std::array<Index, 2>> entries;
  for (Index i = 0; i < rows.pattern.rows; ++i) {
    if (is_above[usize(top.node[usize(i)])] == 0) continue;
    for (const Index member : rows.members(first + i)) {
      const Index row = order.number[usize(member)];
      for (const Index group : rows.pattern.row(i)) {
        for (const Index j : rows.members(group)) {
          const Index col = order.number[usize(j)];
          if (col < row && column_is_above[usize(col)] != 0) entries.push_back({row, col});
        }
      }
    }
  }
  return entries;
}

// Collects the parts of all ranks on rank 0.
PartOfStructure collected(const mpi::Communicator& comm, const PartOfStructure& mine) {
  std::vector<PartOfStructure> parts;
  const auto take = [&](auto list) {
    auto all = comm.gather(mine.*list);
    mpi::agree_on_error(comm, [&] {
      parts.resize(all.size());
      for (std::size_t r = 0; r < all.size(); ++r) parts[r].*list = std::move(all[r]);
    });
  };
  for (auto list : {&PartOfStructure::column, &PartOfStructure::width, &PartOfStructure::height,
                    &PartOfStructure::row, &PartOfStructure::supernodes_of_node})
    take(list);
  take(&PartOfStructure::whole);
  return mpi::agree_on_error(comm, [&] {
    PartOfStructure all;
    for (PartOfStructure& part : parts) append(all, std::exchange(part, {}));
    return all;
  });
}

// The symmetrized pattern, and what the values decide; the values are gone.
struct Prepared {
  GroupedRows rows;  // with matched entries on the diagonal
  numeric::Kind kind;
  ordering::Matching matching;
};

std::vector<Index> identity(Index n) {
  std::vector<Index> same(usize(n));
  std::iota(same.begin(), same.end(), 0);
  return same;
}

ordering::Matching diagonal_in(const Equilibration& units) {
  return {.col_of_row = identity(static_cast<Index>(units.row.size())), .scaling = {units.row, units.col}};
}

// Groups of rows whose pivots may be of order 2, by the cycles of a matching: those pairs in which no row is
// a good pivot alone. Rows and columns are then permuted and scaled alike.
template <Scalar T>
GroupedRows in_pairs(const mpi::Communicator& comm, const matrix::Csr<T>& rows, GroupedRows single,
                     ordering::Matching& matching) {
  const Index first = single.partition.first(comm.rank()), n = single.rows();
  std::vector<double> diagonal;
  mpi::agree_on_error(comm, [&] {
    matching.scaling = ordering::symmetric_scaling(matching.scaling);
    diagonal.resize(usize(n));
    std::ranges::copy(ordering::scaled_diagonal(rows, matching.scaling, first), diagonal.begin() + first);
  });
  comm.max(diagonal);
  std::vector<Index> group;
  const bool has_pairs = mpi::agree_on_error(comm, [&] {
    const auto partner =
        ordering::without_good_pivots(diagonal, ordering::pairs_of(diagonal, matching.col_of_row));
    matching.col_of_row = identity(n);
    Index next = 0;
    for (Index i = 0; i < n; ++i)
      group.push_back(partner[usize(i)] < i ? group[usize(partner[usize(i)])] : next++);
    return next < n;
  });
  return has_pairs ? united(comm, single, group) : single;
}

// Returns nullopt if no kind suits the matrix, and where no matching was found.
template <Scalar T>
std::optional<Prepared> prepare(const mpi::Communicator& comm, const LinearSystem<T>& system,
                                const AnalysisRequest& request, Observer& observer) {
  const distribution::RowPartition& partition = system.matrix().partition();
  const auto rows = mpi::agree_on_error(comm, [&] {
    system.require_finite(system.matrix().local().value);
    observer.progress("order", 0);
    return system.template rows_in<T>();
  });
  SymmetrizedRows symmetrized = symmetrized_rows(comm, rows, partition);
  const auto kind = kind_of<T>(symmetrized, request);
  if (!kind) return std::nullopt;
  const auto units = *kind == numeric::Kind::cholesky ? equilibrate_symmetrically(comm, rows, partition)
                                                      : equilibrate(comm, rows, partition);
  auto matching = units.has_strong_diagonal
                      ? mpi::agree_on_error(comm, [&] { return std::optional(diagonal_in(units)); })
                      : match_in_parallel(comm, rows, partition, units, observer);
  if (!matching) return std::nullopt;
  if (numeric::has_upper(*kind) && !units.has_strong_diagonal) {
    const auto same = mpi::agree_on_error(comm, [&] { return identity(partition.rows()); });
    symmetrized.pattern = symmetrized_pattern(comm, rows.pattern, partition.first(comm.rank()),
                                              {matching->col_of_row, same}, partition);
  }
  auto grouped =
      mpi::agree_on_error(comm, [&] { return single_rows(std::move(symmetrized.pattern), partition); });
  if (numeric::may_have_pairs(*kind)) grouped = in_pairs(comm, rows, std::move(grouped), *matching);
  return Prepared{std::move(grouped), *kind, *std::move(matching)};
}

// The order, and what is left to analyze.
struct Ordered {
  OrderOfRanks order;
  std::vector<symbolic::Part> parts;                       // this rank's subdomains
  std::vector<std::vector<std::array<Index, 2>>> entries;  // of separators, by rank; on rank 0
};

Ordered order(const mpi::Communicator& comm, const GroupedRows& rows, ordering::OrderingOptions options,
              Observer& observer) {
  options.tree_levels = ordering::tree_levels(
      rows.rows(), {.tree_levels = std::max(options.needed_levels, ordering::levels_to_parts(comm.size()))});
  const TopOfDissection top = dissect_in_parallel(comm, rows, options.tree_levels, options.seed);
  auto of_subdomains = exchange_rows(comm, rows, top);
  const auto subdomains = mpi::agree_on_error(comm, [&] {
    std::vector<DissectedSubdomain> dissected;
    for (SubdomainRows& of : of_subdomains) dissected.emplace_back(std::move(of), rows, options, observer);
    return dissected;
  });
  Ordered ordered{.order = order_of(comm, top, rows, subdomains)};
  const auto entries = mpi::agree_on_error(
      comm, [&] { return entries_above(rows, rows.partition.first(comm.rank()), top, ordered.order); });
  ordered.entries = comm.gather(entries);
  mpi::agree_on_error(comm, [&] {
    for (const DissectedSubdomain& subdomain : subdomains)
      ordered.parts.push_back(subdomain.part(ordered.order.number));
    observer.progress("order", 1);
  });
  return ordered;
}

// The analysis of the ordered matrix, on rank 0.
symbolic::Analysis analyze_ordered(const mpi::Communicator& comm, const Ordered& ordered,
                                   const symbolic::SymbolicOptions& options) {
  const DividedTree& tree = ordered.order.tree;
  const auto mine = mpi::agree_on_error(comm, [&] {
    PartOfStructure all;
    all.supernodes_of_node.resize(tree.is_above.size());
    for (const symbolic::Part& part : ordered.parts) append(all, analyze_subdomain(tree, part, options));
    return all;
  });
  const auto subdomains = collected(comm, mine);
  return mpi::agree_on_error(comm, [&]() -> symbolic::Analysis {
    if (comm.rank() != 0) return {};
    std::vector<std::array<Index, 2>> all;
    for (const auto& of_rank : ordered.entries) all.insert(all.end(), of_rank.begin(), of_rank.end());
    return joined(tree, subdomains, analyze_separators(tree, all, subdomains, options));
  });
}

}  // namespace

// METIS makes less fill.
template <Scalar T>
bool ranks_order_together(const mpi::Communicator& comm, const LinearSystem<T>& system,
                          ordering::Method method) {
  using ordering::Method;
  const auto& a = system.matrix();
  const bool may = method == Method::ptscotch || (method == Method::automatic && has_parallel_dissection());
  if (comm.size() == 1 || !may || comm.max(-double(a.local_rows())) > -least_rows_of_rank) return false;
  if (method == Method::ptscotch) return true;
  const double bytes =
      bytes_to_order_alone(a.partition().rows(), comm.sum(double(a.local().nonzeros())), sizeof(T));
  char outgrows = comm.rank() == 0 && bytes > double(available_memory());
  comm.broadcast(outgrows);
  return outgrows != 0;
}

double bytes_to_order_alone(Index rows, double nonzeros, std::size_t value_bytes) {
  constexpr double graphs = 5;  // the pattern, what is symmetrized and permuted of it, and the graph
  constexpr double metis_of_edge = 8, metis_of_row = 24;  // as in ordering/metis.cpp
  const double of_entry = double(value_bytes) + sizeof(Index) * (graphs + metis_of_edge);
  return nonzeros * of_entry + double(rows) * sizeof(Index) * (graphs + metis_of_row);
}

template <Scalar T>
std::optional<std::vector<Analysis>> analyze_in_parallel(const mpi::Communicator& comm,
                                                         const LinearSystem<T>& system,
                                                         const AnalysisRequest& request, Observer& observer) {
  if (!ranks_order_together(comm, system, request.ordering.method)) return std::nullopt;
  const mpi::LongWork long_work(comm);
  auto prepared = prepare(comm, system, request, observer);
  if (!prepared) return std::nullopt;
  const auto ordered =
      order(comm, with_identical_united(comm, std::exchange(prepared->rows, {})), request.ordering, observer);
  std::vector<Analysis> analyses;
  for (const symbolic::SymbolicOptions& options : request.symbolic) {
    auto made = analyze_ordered(comm, ordered, options);
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() != 0) return;
      Analysis& analysis =
          analyses.emplace_back(Analysis{.structure = std::move(made.structure), .kind = prepared->kind});
      const auto new_of = gathered(made.new_of_ordered, ordered.order.number);
      const auto& [col_of_row, scaling] = prepared->matching;
      analysis.ordering = {.row_new = gathered(new_of, col_of_row),
                           .col_new = new_of,
                           .row_scale = scaling.row,
                           .col_scale = scaling.col,
                           .tree = ordered.order.tree.tree};
    });
  }
  return analyses;
}

#define INSTANTIATE(T)                                                                                    \
  template bool ranks_order_together(const mpi::Communicator&, const LinearSystem<T>&, ordering::Method); \
  template std::optional<std::vector<Analysis>> analyze_in_parallel(                                      \
      const mpi::Communicator&, const LinearSystem<T>&, const AnalysisRequest&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
