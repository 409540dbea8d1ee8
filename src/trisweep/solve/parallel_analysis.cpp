#include "trisweep/solve/parallel_analysis.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trisweep/core/memory.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/solve/equilibration.hpp"
#include "trisweep/solve/parallel_dissection.hpp"
#include "trisweep/solve/symmetrized_rows.hpp"
#include "trisweep/symbolic/parts.hpp"

namespace trisweep::solve {
namespace {

using symbolic::DividedTree;
using symbolic::PartOfStructure;

// Where ranks have fewer rows, the graph is cheaper to gather than to dissect in parallel.
constexpr double least_rows_of_rank = 64;

// METIS makes less fill.
template <Scalar T>
bool ranks_order_together(const mpi::Communicator& comm, const LinearSystem<T>& system,
                          ordering::Method method) {
  using ordering::Method;
  if (comm.size() == 1 || method == Method::ptscotch) return comm.size() > 1;
  if (method != Method::automatic || !has_parallel_dissection()) return false;
  const auto& a = system.matrix();
  const double bytes =
      bytes_to_order_alone(a.partition().rows(), comm.sum(double(a.local().nonzeros())), sizeof(T));
  char outgrows = comm.rank() == 0 && bytes > double(available_memory());
  comm.broadcast(outgrows);
  return outgrows != 0;
}

// The kind of the factorization if it needs no matching, unless the diagonal of a general matrix is weak.
std::optional<numeric::Kind> kind_without_matching(const SymmetrizedRows& a, numeric::KindChoice choice,
                                                   int failed) {
  using numeric::Kind, numeric::KindChoice;
  if (choice == KindChoice::lu || failed > 1) return Kind::lu;
  if (failed > 0 || choice == KindChoice::ldlt) return std::nullopt;
  if (a.is_hermitian && a.has_positive_diagonal) return Kind::cholesky;
  const bool is_general = !a.is_hermitian && !a.is_symmetric;
  return choice == KindChoice::automatic && is_general ? std::optional(Kind::lu) : std::nullopt;
}

// The roots of subdomains, in the order of the tree.
void list_subdomains(const std::vector<char>& is_divided, Index node, std::vector<Index>& roots) {
  if (is_divided[usize(node)] == 0) return roots.push_back(node);
  list_subdomains(is_divided, 2 * node, roots);
  list_subdomains(is_divided, 2 * node + 1, roots);
}

// Rows of the symmetrized matrix that make up a subdomain.
struct SubdomainRows {
  Index root;              // node of the separator tree
  std::vector<Index> row;  // of the matrix, ascending
  std::vector<Offset> begin{0};
  std::vector<Index> col;  // by row, of the whole matrix
};

// Sends each row of a subdomain to the rank that analyzes it. Returns the subdomains of this rank.
std::vector<SubdomainRows> exchange_rows(const mpi::Communicator& comm, const matrix::Pattern& pattern,
                                         Index first, const TopOfDissection& top) {
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
    std::vector<mpi::ListOfRank<Index>> sent;
    for (Index r = 0; r < comm.size(); ++r) {
      if (!of_rank[usize(r)].empty()) sent.push_back({r, std::move(of_rank[usize(r)])});
    }
    return sent;
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

// A subdomain with the columns around it, in the order in which it is dissected.
class SubdomainOfRank {
 public:
  SubdomainOfRank(SubdomainRows rows, int levels, Index seed, Observer& observer)
      : root_(rows.root), own_(std::move(rows.row)) {
    std::vector<Index> columns = rows.col;
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    std::ranges::set_difference(columns, own_, std::back_inserter(around_));
    for (Index& j : rows.col) j = place_of(j);
    for (std::size_t i = 0; i < own_.size(); ++i)
      std::sort(rows.col.begin() + rows.begin[i], rows.col.begin() + rows.begin[i + 1]);
    const auto all = static_cast<Index>(own_.size() + around_.size());
    rows.begin.resize(usize(all) + 1, rows.begin.back());
    pattern_ = matrix::symmetrized(
        {.rows = all, .cols = all, .row_ptr = std::move(rows.begin), .col = std::move(rows.col)});
    const ordering::Dissection how{
        .levels = levels - ordering::level_of(root_), .by_cost = true, .seed = seed};
    nodes_ =
        ordering::dissect_with_metis({ordering::ungrouped(pattern_).graph, own(), how}, nullptr, observer);
  }

  // Calls visit(node of the whole tree, rows of the matrix in their order) for all nodes of the subdomain.
  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (Index t = 1; t < std::ssize(nodes_); ++t) {
      const Index top = Index{1} << ordering::level_of(t);
      visit(root_ * top + (t - top), gathered(own_, nodes_[usize(t)]));
    }
  }

  // `number`: of all rows, in the order of the tree.
  symbolic::Part part(const std::vector<Index>& number) const {
    symbolic::Part part{.own = own()};
    std::vector<Index> of_place;
    for (const auto* list : {&own_, &around_})
      for (const Index row : *list) of_place.push_back(number[usize(row)]);
    part.number = of_place;
    std::ranges::sort(part.number);
    for (Index& j : of_place)
      j = static_cast<Index>(std::ranges::lower_bound(part.number, j) - part.number.begin());
    part.pattern = matrix::permuted(pattern_, of_place, of_place);
    return part;
  }

 private:
  Index own() const { return static_cast<Index>(own_.size()); }
  Index place_of(Index col) const {
    const auto at = std::ranges::lower_bound(own_, col);
    if (at != own_.end() && *at == col) return static_cast<Index>(at - own_.begin());
    return own() + static_cast<Index>(std::ranges::lower_bound(around_, col) - around_.begin());
  }

  Index root_;
  std::vector<Index> own_, around_;  // rows of the matrix
  matrix::Pattern pattern_;          // of own rows, then those around
  ordering::TreeVertices nodes_;
};

// The order of the whole matrix.
struct OrderOfRanks {
  DividedTree tree;
  std::vector<Index> number;  // of each row of the matrix; the same on every rank
};

OrderOfRanks order_of(const mpi::Communicator& comm, const TopOfDissection& top, Index first, Index rows,
                      const std::vector<SubdomainOfRank>& subdomains) {
  std::vector<double> sizes;
  std::vector<std::uint64_t> numbers;
  mpi::agree_on_error(comm, [&] {
    sizes.resize(top.is_divided.size());
    for (const Index node : top.node) sizes[usize(node)] += top.is_divided[usize(node)];
    for (const SubdomainOfRank& subdomain : subdomains)
      subdomain.for_each_node(
          [&](Index node, const auto& list) { sizes[usize(node)] = double(list.size()); });
    numbers.resize(usize(rows));
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
    for (const SubdomainOfRank& subdomain : subdomains) {
      subdomain.for_each_node([&](Index node, const auto& list) {
        for (std::size_t k = 0; k < list.size(); ++k) numbers[usize(list[k])] = usize(begin[usize(node)]) + k;
      });
    }
  });
  comm.max(numbers);
  mpi::agree_on_error(comm, [&] { order.number.assign(numbers.begin(), numbers.end()); });
  return order;
}

// This rank's entries between columns of separators, by their numbers; of two mirror images one.
std::vector<std::array<Index, 2>> entries_above(const matrix::Pattern& pattern, Index first,
                                                const TopOfDissection& top, const OrderOfRanks& order) {
  const auto& [tree, is_above] = order.tree;
  std::vector<char> column_is_above(order.number.size());
  for (Index t = 1; t < tree.nodes(); ++t)
    std::fill(column_is_above.begin() + tree.begin[usize(t)], column_is_above.begin() + tree.end[usize(t)],
              is_above[usize(t)]);
  std::vector<std::array<Index, 2>> entries;
  for (Index i = 0; i < pattern.rows; ++i) {
    if (is_above[usize(top.node[usize(i)])] == 0) continue;
    const Index row = order.number[usize(first + i)];
    for (const Index j : pattern.row(i)) {
      const Index col = order.number[usize(j)];
      if (col < row && column_is_above[usize(col)] != 0) entries.push_back({row, col});
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

// The analysis of the ordered matrix, on rank 0.
symbolic::Analysis analyze_ordered(const mpi::Communicator& comm, const OrderOfRanks& order,
                                   const std::vector<symbolic::Part>& parts,
                                   const std::vector<std::vector<std::array<Index, 2>>>& entries,
                                   const symbolic::SymbolicOptions& options) {
  const auto mine = mpi::agree_on_error(comm, [&] {
    PartOfStructure all;
    all.supernodes_of_node.resize(order.tree.is_above.size());
    for (const symbolic::Part& part : parts) append(all, analyze_subdomain(order.tree, part, options));
    return all;
  });
  const auto subdomains = collected(comm, mine);
  return mpi::agree_on_error(comm, [&]() -> symbolic::Analysis {
    if (comm.rank() != 0) return {};
    std::vector<std::array<Index, 2>> all;
    for (const auto& of_rank : entries) all.insert(all.end(), of_rank.begin(), of_rank.end());
    return joined(order.tree, subdomains, analyze_separators(order.tree, all, subdomains, options));
  });
}

}  // namespace

double bytes_to_order_alone(Index rows, double nonzeros, std::size_t value_bytes) {
  constexpr double graphs = 5;  // the pattern, what is symmetrized and permuted of it, and the graph
  constexpr double metis_of_edge = 8, metis_of_row = 24;  // as in ordering/metis.cpp
  const double of_entry = double(value_bytes) + sizeof(Index) * (graphs + metis_of_edge);
  return nonzeros * of_entry + double(rows) * sizeof(Index) * (graphs + metis_of_row);
}

template <Scalar T>
std::optional<std::vector<Analysis>> analyze_in_parallel(const mpi::Communicator& comm,
                                                         const LinearSystem<T>& system,
                                                         numeric::KindChoice choice, int failed,
                                                         const ordering::OrderingOptions& ordering,
                                                         std::span<const symbolic::SymbolicOptions> symbolic,
                                                         Observer& observer) {
  const distribution::RowPartition& partition = system.matrix().partition();
  const Index first = partition.first(comm.rank()), n = partition.rows();
  if (!ranks_order_together(comm, system, ordering.method)) return std::nullopt;
  if (-comm.max(-double(partition.count(comm.rank()))) < least_rows_of_rank) return std::nullopt;
  const mpi::LongWork long_work(comm);
  const auto rows = mpi::agree_on_error(comm, [&] {
    system.require_finite(system.matrix().local().value);
    observer.progress("order", 0);
    return system.template rows_in<T>();
  });
  const SymmetrizedRows symmetrized = symmetrized_rows(comm, rows, partition);
  const auto kind = kind_without_matching(symmetrized, choice, failed);
  if (!kind) return std::nullopt;
  Equilibration scaling = *kind == numeric::Kind::cholesky ? equilibrate_symmetrically(comm, rows, partition)
                                                           : equilibrate(comm, rows, partition);
  if (!scaling.has_strong_diagonal) return std::nullopt;

  const int levels = ordering::tree_levels(
      n, {.tree_levels = std::max(ordering.needed_levels, ordering::levels_to_parts(comm.size()))});
  const TopOfDissection top =
      dissect_in_parallel(comm, symmetrized.pattern, partition, levels, ordering.seed);
  auto rows_of_subdomains = exchange_rows(comm, symmetrized.pattern, first, top);
  const auto subdomains = mpi::agree_on_error(comm, [&] {
    std::vector<SubdomainOfRank> dissected;
    for (SubdomainRows& of : rows_of_subdomains) {
      dissected.emplace_back(std::move(of), levels, ordering.seed, observer);
    }
    return dissected;
  });
  const OrderOfRanks order = order_of(comm, top, first, n, subdomains);
  auto entries =
      mpi::agree_on_error(comm, [&] { return entries_above(symmetrized.pattern, first, top, order); });
  const auto all_entries = comm.gather(entries);
  const auto parts = mpi::agree_on_error(comm, [&] {
    std::vector<symbolic::Part> of_subdomains;
    for (const SubdomainOfRank& subdomain : subdomains) of_subdomains.push_back(subdomain.part(order.number));
    observer.progress("order", 1);
    return of_subdomains;
  });
  std::vector<Analysis> analyses;
  for (const symbolic::SymbolicOptions& options : symbolic) {
    auto made = analyze_ordered(comm, order, parts, all_entries, options);
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() != 0) return;
      Analysis& analysis =
          analyses.emplace_back(Analysis{.structure = std::move(made.structure), .kind = *kind});
      analysis.ordering.row_new = analysis.ordering.col_new = gathered(made.new_of_ordered, order.number);
      analysis.ordering.row_scale = scaling.row;
      analysis.ordering.col_scale = scaling.col;
      analysis.ordering.tree = order.tree.tree;
    });
  }
  return analyses;
}

#define INSTANTIATE(T)                                                            \
  template std::optional<std::vector<Analysis>> analyze_in_parallel(              \
      const mpi::Communicator&, const LinearSystem<T>&, numeric::KindChoice, int, \
      const ordering::OrderingOptions&, std::span<const symbolic::SymbolicOptions>, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
