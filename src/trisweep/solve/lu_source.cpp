#include "trisweep/solve/lu_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "trisweep/core/finite.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/lu_pieces.hpp"
#include "trisweep/symbolic/etree.hpp"
#include "trisweep/symbolic/tree_separators.hpp"

namespace trisweep::solve {
namespace {

using distribution::Distribution;
using distribution::LocalBlocks;

constexpr const char* remedy = "pass L, U, permutations and scales as the library that made them has them";

// The place of an entry in the pattern of L + U^T; `col`: first column of its supernode.
struct PatternEntry {
  Index col, row;
  auto operator<=>(const PatternEntry&) const = default;
};

void require_permutation(const std::vector<Index>& permutation, const char* name) {
  if (!is_permutation(permutation))
    throw Error(ErrorKind::input, fmt::format("the order of the factors' {} is no permutation", name),
                remedy);
}

void require_first(const std::vector<Index>& first, Index n) {
  if (first.empty()) return;
  const bool ascends = std::ranges::adjacent_find(first, std::greater_equal<>()) == first.end();
  if (first.front() != 0 || first.back() >= n || !ascends)
    throw Error(ErrorKind::input,
                fmt::format("the first columns of supernodes do not ascend from 0 to less than {}", n),
                remedy);
}

template <Scalar T>
void require_order(LuParts<T>& parts) {
  const std::size_t n = parts.row_new.size();
  for (auto* scale : {&parts.row_scale, &parts.col_scale}) {
    if (scale->empty()) scale->assign(n, 1);
  }
  if (n == 0 || parts.col_new.size() != n || parts.row_scale.size() != n || parts.col_scale.size() != n)
    throw Error(ErrorKind::input,
                fmt::format("factors with {} rows and {} columns, {} and {} scales", n, parts.col_new.size(),
                            parts.row_scale.size(), parts.col_scale.size()),
                remedy);
  require_permutation(parts.row_new, "rows");
  require_permutation(parts.col_new, "columns");
  for (const auto* scale : {&parts.row_scale, &parts.col_scale}) {
    if (!std::ranges::all_of(*scale, [](double s) { return s > 0 && is_finite(s); }))
      throw Error(ErrorKind::input, "a scale of the factors is not a positive number", remedy);
  }
}

// Returns the pattern of L + U^T and its transpose, with a full diagonal.
matrix::Pattern symmetric_pattern(Index n, const std::vector<Index>& first,
                                  std::vector<std::vector<PatternEntry>> by_rank) {
  std::vector<PatternEntry> all;
  for (auto& entries : by_rank) all.insert(all.end(), entries.begin(), entries.end());
  by_rank.clear();
  for (std::size_t k = 0; k < first.size(); ++k) {
    const Index end = k + 1 < first.size() ? first[k + 1] : n;
    for (Index row = first[k] + 1; row < end; ++row) all.push_back({first[k], row});
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  matrix::Pattern pattern{.rows = n, .cols = n};
  auto at = all.begin();
  for (Index col = 0; col < n; ++col) {
    for (; at != all.end() && at->col == col; ++at) pattern.col.push_back(at->row);
    pattern.row_ptr.push_back(std::ssize(pattern.col));
  }
  return matrix::symmetrized(pattern);
}

// Returns a structure that contains the pattern, in an order with separators for this number of ranks.
symbolic::Analysis structure_of(const matrix::Pattern& pattern, Index ranks, ordering::SeparatorTree& tree) {
  const std::vector<Index> parent = symbolic::elimination_tree(pattern);
  const std::vector<Index> count = symbolic::column_counts(pattern, parent, symbolic::postorder(parent));
  const int levels = ranks == 1 ? 0 : ordering::tree_levels(pattern.rows, {});
  auto order = symbolic::tree_separators(parent, {count.begin(), count.end()}, levels);
  symbolic::Analysis made = symbolic::analyze(matrix::permuted(pattern, order.new_of, order.new_of),
                                              order.tree, model::symbolic_options("supernodes", ranks));
  made.new_of_ordered = gathered(made.new_of_ordered, order.new_of);
  tree = std::move(order.tree);
  return made;
}

// Entries are sent with their row and column, in several times the bytes of their values; in rounds, so that
// the messages take only part of the memory of the factors.
constexpr double entries_of_round = 1 << 20;  // per rank
constexpr double most_entry_rounds = 8;

// Columns are divided into steps, and steps are combined into rounds of about equal numbers of entries.
constexpr Index steps = 512;

// `entries`: number in every step, over all ranks.
std::vector<LuColumns> rounds_of(Index n, const std::vector<double>& entries, Index ranks) {
  double all = 0, taken = 0;
  for (const double of_step : entries) all += of_step;
  const double count = std::clamp(all / double(ranks) / entries_of_round, 1.0, most_entry_rounds);
  std::vector<LuColumns> rounds;
  for (std::size_t step = 0; step < entries.size(); ++step) {
    if (rounds.empty() || (all > 0 && taken * count >= all * double(rounds.size()))) {
      const auto begin = static_cast<Index>(Offset{n} * Offset(step) / steps);
      if (!rounds.empty()) rounds.back().end = begin;
      rounds.push_back({begin, n});
    }
    taken += entries[step];
  }
  return rounds;
}

template <Scalar T>
class LuSource final : public FactorSource<T> {
 public:
  explicit LuSource(LuParts<T> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator& comm) override {
    if (analysis_) return analysis_;
    auto n = static_cast<Index>(parts_.row_new.size());
    comm.broadcast(n);
    std::vector<double> entries;
    auto pattern = mpi::agree_on_error(comm, [&] {
      if (comm.rank() == 0) require_order(parts_);
      require_first(parts_.first, n);
      entries.resize(steps);
      return pattern_here(n, entries);
    });
    comm.sum(entries);
    mpi::agree_on_error(comm, [&] { rounds_ = rounds_of(n, entries, comm.size()); });
    auto by_rank = comm.gather(pattern);
    pattern = {};
    std::shared_ptr<const Analysis> made;
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() != 0) return;
      ordering::SeparatorTree tree;
      auto found = structure_of(symmetric_pattern(n, parts_.first, std::move(by_rank)), comm.size(), tree);
      new_of_ = std::move(found.new_of_ordered);
      made =
          std::make_shared<const Analysis>(Analysis{.ordering = {.row_new = gathered(new_of_, parts_.row_new),
                                                                 .col_new = gathered(new_of_, parts_.col_new),
                                                                 .row_scale = parts_.row_scale,
                                                                 .col_scale = parts_.col_scale,
                                                                 .tree = std::move(tree)},
                                                    .structure = std::move(found.structure)});
    });
    comm.broadcast(new_of_);
    return analysis_ = broadcast_analysis(comm, std::move(made));
  }

  engine::PieceValues<T> panels(const mpi::Communicator& comm, const Distribution& distribution,
                                const LocalBlocks& local_blocks) override {
    auto pieces =
        mpi::agree_on_error(comm, [&] { return PiecesOfLu<T>(*distribution.structure, local_blocks); });
    for (const LuColumns& columns : rounds_) {
      auto lists = mpi::agree_on_error(comm, [&] {
        EntriesByRank<T> entries(distribution, comm.size());
        const auto add = [&](Index row, Index col, const T& value) {
          if (value != T(0) && columns.contains(std::min(row, col)))
            entries.add({new_of_[usize(row)], new_of_[usize(col)], value});
        };
        parts_.for_each_entry(add, columns);
        return entries.take();
      });
      const auto received = mpi::exchange_lists(comm, std::move(lists));
      for (const auto& list : received) {
        for (const LuEntry<T>& entry : list.entry) pieces.put(entry);
      }
    }
    return engine::PieceValues<T>(mpi::agree_on_error(comm, [&] {
      if (const Index zero = pieces.zero_pivot(); zero >= 0)
        throw Error(ErrorKind::numerical,
                    fmt::format("the factor U has a zero at place {} of its diagonal",
                                std::ranges::find(new_of_, zero) - new_of_.begin()),
                    "factor with pivoting, or a matrix that is not singular");
      return std::move(pieces).block_ldu();
    }));
  }

  std::shared_ptr<const void> analysis_key(const mpi::Communicator&) const override { return analysis_; }

 private:
  // Returns this rank's pattern, and counts its entries by step of columns.
  std::vector<PatternEntry> pattern_here(Index n, std::vector<double>& entries) const {
    std::vector<Index> first_of(usize(n));
    for (std::size_t j = 0, k = 0; j < first_of.size(); ++j) {
      if (k + 1 < parts_.first.size() && usize(parts_.first[k + 1]) == j) ++k;
      first_of[j] = parts_.first.empty() ? static_cast<Index>(j) : parts_.first[k];
    }
    std::vector<PatternEntry> pattern;
    const auto take = [&](Index row, Index col, const T& value) {
      if (row < 0 || row >= n || col < 0 || col >= n)
        throw Error(ErrorKind::input,
                    fmt::format("factors of {} rows have an entry in row {}, column {} (counting from 0)", n,
                                row, col),
                    remedy);
      if (!is_finite(value))
        throw Error(
            ErrorKind::input,
            fmt::format("the factors' entry in row {}, column {} (counting from 0) is not finite", row, col),
            "factor a matrix with finite entries, with pivoting");
      const auto [low, high] = std::minmax(row, col);
      const PatternEntry place{first_of[usize(low)], high};
      if (low == high || (value == T(0) && !parts_.keep_zeros)) return;
      ++entries[usize(Offset{low} * steps / n)];
      if (pattern.empty() || pattern.back() != place) pattern.push_back(place);
    };
    parts_.for_each_entry(take, {0, n});
    std::ranges::sort(pattern);
    pattern.erase(std::ranges::unique(pattern).begin(), pattern.end());
    return pattern;
  }

  LuParts<T> parts_;
  std::vector<LuColumns> rounds_;
  std::vector<Index> new_of_;  // index in the structure of each row and column of L U
  std::shared_ptr<const Analysis> analysis_;
};

// Calls visit(row, column, value) for all entries.
template <Scalar T>
void for_each_entry_of(const matrix::Csr<T>& a, const auto& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i)) visit(i, a.pattern.col[usize(e)], a.value[usize(e)]);
  }
}

[[noreturn]] void throw_not_triangular(const char* factor, Index row, Index col) {
  throw Error(ErrorKind::input,
              fmt::format("the factor {} has an entry in row {}, column {} (counting from 0): it is not {}",
                          factor, row, col, *factor == 'L' ? "unit lower triangular" : "upper triangular"),
              remedy);
}

}  // namespace

template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(LuParts<T> parts) {
  return std::make_shared<LuSource<T>>(std::move(parts));
}

template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(ExplicitFactors<T> factors) {
  LuParts<T> parts{.row_new = std::move(factors.row_new),
                   .col_new = std::move(factors.col_new),
                   .row_scale = std::move(factors.row_scale),
                   .col_scale = std::move(factors.col_scale)};
  parts.for_each_entry = [n = static_cast<Index>(parts.row_new.size()), l = std::move(factors.l_transposed),
                          u = std::move(factors.u)](const typename LuParts<T>::Visit& visit, LuColumns) {
    for (const auto* factor : {&l, &u}) {
      if (factor->rows() != factor->cols() || (n > 0 && factor->rows() != n))
        throw Error(ErrorKind::input,
                    fmt::format("a factor of {} rows and {} columns, and permutations of {}", factor->rows(),
                                factor->cols(), n),
                    remedy);
    }
    for_each_entry_of(l, [&](Index col, Index row, const T& value) {
      if (row < col || (row == col && value != T(1))) throw_not_triangular("L", row, col);
      if (row > col) visit(row, col, value);
    });
    for_each_entry_of(u, [&](Index row, Index col, const T& value) {
      if (row > col) throw_not_triangular("U", row, col);
      visit(row, col, value);
    });
  };
  return lu_source(std::move(parts));
}

#define INSTANTIATE(T)                                             \
  template std::shared_ptr<FactorSource<T>> lu_source(LuParts<T>); \
  template std::shared_ptr<FactorSource<T>> lu_source(ExplicitFactors<T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
