#include "trisweep/ordering/block_triangular_form.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "trisweep/ordering/assignment.hpp"

namespace trisweep::ordering {
namespace {

// Levels with fewer than one in this many of the rows are not worth a stage of their own.
constexpr Index rows_per_heavy_level = 10;

template <Scalar T>
matrix::Pattern pattern_of_nonzeros(const matrix::Csr<T>& a) {
  matrix::Pattern nonzero{a.rows(), a.cols(), {0}, {}};
  nonzero.row_ptr.reserve(usize(a.rows()) + 1);
  nonzero.col.reserve(usize(a.nonzeros()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.value[usize(e)] != T{}) nonzero.col.push_back(a.pattern.col[usize(e)]);
    nonzero.row_ptr.push_back(std::ssize(nonzero.col));
  }
  return nonzero;
}

bool has_full_diagonal(const matrix::Pattern& a) {
  for (Index i = 0; i < a.rows; ++i)
    if (!std::ranges::binary_search(a.row(i), i)) return false;
  return true;
}

// By column: the row that is matched to it; nullopt if not all rows can be matched.
std::optional<std::vector<Index>> match_rows(const matrix::Pattern& a, Observer& observer) {
  std::vector<Index> row_of(usize(a.cols), -1);
  if (has_full_diagonal(a)) {
    std::iota(row_of.begin(), row_of.end(), Index{0});
    return row_of;
  }
  for (const Index j : a.col) row_of[usize(j)] = 0;
  if (std::ranges::find(row_of, -1) != row_of.end()) return std::nullopt;
  Assignment assignment({a.row_ptr, a.col, std::vector<double>(a.col.size())});
  assignment.solve(observer);
  if (assignment.rank() < a.rows) return std::nullopt;
  for (Index i = 0; i < a.rows; ++i) row_of[usize(assignment.col_of_row()[usize(i)])] = i;
  return row_of;
}

// The strongly connected components of the graph whose vertices are rows, with an edge from a row to each row
// whose matched column it has a nonzero in. Every component follows those that it depends on.
class StrongComponents {
 public:
  StrongComponents(const matrix::Pattern& a, const std::vector<Index>& row_of)
      : a_(a),
        row_of_(row_of),
        number_(usize(a.rows), unseen),
        least_(usize(a.rows)),
        component_(usize(a.rows), -1) {
    in_order_.reserve(usize(a.rows));
    for (Index i = 0; i < a.rows; ++i)
      if (number_[usize(i)] == unseen) search(i);
  }

  std::span<const Index> rows_in_order() const { return in_order_; }
  Index component(Index row) const { return component_[usize(row)]; }
  Index components() const { return components_; }

 private:
  static constexpr Index unseen = -1;
  struct Visit {
    Index row;
    Offset next;  // entry to look at
  };

  void enter(Index row) {
    number_[usize(row)] = least_[usize(row)] = seen_++;
    open_.push_back(row);
    path_.push_back({row, a_.row_ptr[usize(row)]});
  }

  // Depth first, without recursion: paths may be as long as there are rows.
  void search(Index root) {
    enter(root);
    while (!path_.empty()) {
      auto& [row, next] = path_.back();
      if (next < a_.row_ptr[usize(row) + 1]) {
        const Index to = row_of_[usize(a_.col[usize(next++)])];
        if (number_[usize(to)] == unseen)
          enter(to);
        else if (component_[usize(to)] < 0)
          least_[usize(row)] = std::min(least_[usize(row)], number_[usize(to)]);
      } else {
        leave(row);
      }
    }
  }

  void leave(Index row) {
    if (least_[usize(row)] == number_[usize(row)]) {
      Index member;
      do {
        member = open_.back();
        open_.pop_back();
        component_[usize(member)] = components_;
        in_order_.push_back(member);
      } while (member != row);
      ++components_;
    }
    path_.pop_back();
    if (path_.empty()) return;
    Index& least = least_[usize(path_.back().row)];
    least = std::min(least, least_[usize(row)]);
  }

  const matrix::Pattern& a_;
  const std::vector<Index>& row_of_;
  std::vector<Index> number_, least_, component_, in_order_, open_;
  std::vector<Visit> path_;
  Index seen_ = 0, components_ = 0;
};

// By row: length of the longest path from its block to one that depends on no other.
std::vector<Index> block_levels(const matrix::Pattern& a, const std::vector<Index>& row_of) {
  const StrongComponents of(a, row_of);
  std::vector<Index> level(usize(of.components()));
  for (const Index i : of.rows_in_order()) {
    const Index here = of.component(i);
    for (const Index j : a.row(i)) {
      const Index there = of.component(row_of[usize(j)]);
      if (there != here) level[usize(here)] = std::max(level[usize(here)], level[usize(there)] + 1);
    }
  }
  std::vector<Index> of_row(usize(a.rows));
  for (Index i = 0; i < a.rows; ++i) of_row[usize(i)] = level[usize(of.component(i))];
  return of_row;
}

// The stage of each level.
std::vector<Index> stages_of_levels(const std::vector<Index>& level_of_row) {
  std::vector<Index> rows(usize(std::ranges::max(level_of_row)) + 1);
  for (const Index level : level_of_row) ++rows[usize(level)];
  const auto n = static_cast<Index>(level_of_row.size());
  const auto is_heavy = [&](std::size_t level) { return rows[level] >= (n - 1) / rows_per_heavy_level + 1; };
  std::vector<Index> stage{0};
  for (std::size_t level = 1; level < rows.size(); ++level)
    stage.push_back(stage.back() + (is_heavy(level) || is_heavy(level - 1) ? 1 : 0));
  return stage;
}

}  // namespace

template <Scalar T>
BlockTriangularForm block_triangular_form(const matrix::Csr<T>& a, Observer& observer) {
  const matrix::Pattern nonzero = pattern_of_nonzeros(a);
  const auto row_of = match_rows(nonzero, observer);
  if (!row_of) return {};
  const std::vector<Index> level = block_levels(nonzero, *row_of);
  const std::vector<Index> stage = stages_of_levels(level);
  if (stage.back() == 0) return {};
  BlockTriangularForm form{.stages = stage.back() + 1};
  for (const Index of_row : level) form.row_stage.push_back(stage[usize(of_row)]);
  for (const Index row : *row_of) form.col_stage.push_back(form.row_stage[usize(row)]);
  form.coupled.resize(usize(form.stages));
  for (Index i = 0; i < nonzero.rows; ++i) {
    std::vector<Index>& coupled = form.coupled[usize(form.row_stage[usize(i)])];
    const Offset before = form.off_diagonal;
    for (const Index j : nonzero.row(i)) {
      if (form.col_stage[usize(j)] == form.row_stage[usize(i)]) continue;
      ++form.off_diagonal;
      coupled.push_back(j);
    }
    if (form.off_diagonal > before) coupled.push_back(i);
  }
  for (std::vector<Index>& coupled : form.coupled) {
    std::ranges::sort(coupled);
    coupled.erase(std::ranges::unique(coupled).begin(), coupled.end());
  }
  return form;
}

#define INSTANTIATE(T) template BlockTriangularForm block_triangular_form(const matrix::Csr<T>&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
