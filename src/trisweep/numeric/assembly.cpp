#include "trisweep/numeric/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace trisweep::numeric {

Error outside_structure(Index row_or_column) {
  return {ErrorKind::usage,
          fmt::format("row or column {} has an entry outside the symbolic structure", row_or_column),
          "analyze the pattern of the very matrix that is factored"};
}

template <Scalar T>
LowerColumns<T>::LowerColumns(const matrix::Csr<T>& a, const symbolic::Structure& s)
    : ptr(usize(s.n) + 1, 0) {
  const auto for_each = [&](auto&& visit) {
    for (Index i = 0; i < s.n; ++i) {
      const Index first = s.first[usize(s.supernode_of[usize(i)])];
      for (Offset e = a.pattern.row_ptr[usize(i)]; e < a.pattern.row_ptr[usize(i) + 1]; ++e) {
        const Index j = a.pattern.col[usize(e)];
        if (j >= first) break;
        visit(i, j, e);
      }
    }
  };
  for_each([&](Index, Index j, Offset) { ++ptr[usize(j) + 1]; });
  for (std::size_t j = 0; j < usize(s.n); ++j) ptr[j + 1] += ptr[j];
  row.resize(usize(ptr.back()));
  value.resize(usize(ptr.back()));
  std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
  for_each([&](Index i, Index j, Offset e) {
    const std::size_t at = usize(next[usize(j)]++);
    row[at] = i;
    value[at] = a.value[usize(e)];
  });
}

template <Scalar T>
Index Assembly<T>::position_of(Index global) const {
  const Index p = position_[usize(global)];
  if (usize(p) < global_.size() && global_[usize(p)] == global) return p;
  throw outside_structure(global);
}

template <Scalar T>
void Assembly<T>::add_matrix_rows(const Panel<T>& panel) {
  const matrix::Pattern& pattern = source_.a.pattern;
  const Index first = source_.structure.first[usize(panel.supernode)];
  const Index last = first + panel.width();
  for (Index i = 0; i < panel.width(); ++i) {
    const std::span<const Index> cols = pattern.row(first + i);
    const T* value = source_.a.value.data() + pattern.row_ptr[usize(first + i)];
    const Index end = source_.kind == Kind::cholesky ? first + i + 1 : last;
    auto e = usize(std::ranges::lower_bound(cols, first) - cols.begin());
    for (; e < cols.size() && cols[e] < end; ++e) panel.diagonal(i, cols[e] - first) += value[e];
    if (source_.kind == Kind::cholesky) continue;
    for (; e < cols.size(); ++e) panel.upper(position_of(cols[e]) - panel.end(), i) += value[e];
  }
}

template <Scalar T>
void Assembly<T>::add_matrix_columns(const Panel<T>& panel) {
  const LowerColumns<T>& columns = source_.columns;
  const Index first = source_.structure.first[usize(panel.supernode)];
  for (Index j = 0; j < panel.width(); ++j) {
    T* target = panel.lower.column(j);
    for (Offset e = columns.ptr[usize(first + j)]; e < columns.ptr[usize(first + j) + 1]; ++e) {
      target[position_of(columns.row[usize(e)]) - panel.end()] += columns.value[usize(e)];
    }
  }
}

template <Scalar T>
void Assembly<T>::begin(Front<T>& front) {
  const symbolic::Structure& s = source_.structure;
  const Panel<T>& bottom = front.panels.front();
  const std::span<const Index> below = s.rows(bottom.supernode);
  global_.resize(usize(bottom.width()) + below.size());
  for (Index j = 0; j < bottom.width(); ++j) global_[usize(j)] = s.first[usize(bottom.supernode)] + j;
  std::ranges::copy(below, global_.begin() + bottom.width());
  for (std::size_t p = 0; p < global_.size(); ++p) position_[usize(global_[p])] = static_cast<Index>(p);

  for (const Panel<T>& panel : front.panels) {
    const auto zero = [](View<T> v) { std::fill_n(v.data, usize(v.rows) * usize(v.cols), T(0)); };
    zero(panel.diagonal);
    zero(panel.lower);
    zero(panel.upper);
    add_matrix_rows(panel);
    add_matrix_columns(panel);
  }
}

// A run ends where positions stop being consecutive, and where the front's next panel or its contribution
// begins.
template <Scalar T>
void Assembly<T>::find_runs(const Front<T>& front, std::span<const Index> rows) {
  runs_.clear();
  auto panel = front.panels.begin();
  Index boundary = panel->end();
  for (Index i = 0; i < static_cast<Index>(rows.size()); ++i) {
    const Index p = position_[usize(rows[usize(i)])];
    bool crossed = false;
    for (; panel != front.panels.end() && p >= boundary; crossed = true) {
      if (++panel != front.panels.end()) boundary = panel->end();
    }
    if (i == 0 || crossed || p != position_[usize(rows[usize(i) - 1])] + 1) runs_.push_back({i, i, p});
    ++runs_.back().end;
  }
}

template <Scalar T>
void Assembly<T>::add_column(std::span<const Run> runs, const T* from, Index begin, T* to,
                             Index shift) const {
  for (const Run& run : runs) {
    const Index first = std::max(run.begin, begin);
    const Index offset = run.target - run.begin - shift;
    for (Index i = first; i < run.end; ++i) to[i + offset] += from[i];
  }
}

// The child's rows `rows`, which lie in the panel's columns, to the right of them: U's part, stored
// transposed.
template <Scalar T>
void Assembly<T>::add_transposed(const Panel<T>& panel, View<T> child, const Run& rows,
                                 std::span<const Run> columns) const {
  constexpr Index tile = 8;  // rows of one cache line of the child, as many streams written
  for (Index i0 = rows.begin; i0 < rows.end; i0 += tile) {
    const Index count = std::min(tile, rows.end - i0);
    T* to = panel.upper.column(rows.target + i0 - rows.begin - panel.start);
    for (const Run& run : columns) {
      for (Index j = run.begin; j < run.end; ++j) {
        const T* from = child.column(j) + i0;
        T* target = to + (run.target + j - run.begin - panel.end());
        for (Index i = 0; i < count; ++i) target[usize(i) * usize(panel.upper.ld)] += from[i];
      }
    }
  }
}

// Runs [first, last) lie in the panel's columns, those from `last` on beyond them.
template <Scalar T>
void Assembly<T>::add_to_panel(const Panel<T>& panel, View<T> child, std::size_t first,
                               std::size_t last) const {
  const std::span<const Run> runs(runs_), beyond = runs.subspan(last);
  for (std::size_t q = first; q < last; ++q) {
    const Run& run = runs[q];
    for (Index j = run.begin; j < run.end; ++j) {
      const Index column = run.target + j - run.begin - panel.start;
      const bool symmetric = source_.kind == Kind::cholesky;
      add_column(runs.subspan(symmetric ? q : first, last - (symmetric ? q : first)), child.column(j),
                 symmetric ? j : 0, panel.diagonal.column(column), panel.start);
      add_column(beyond, child.column(j), 0, panel.lower.column(column), panel.end());
    }
    if (source_.kind == Kind::lu) add_transposed(panel, child, run, beyond);
  }
}

template <Scalar T>
void Assembly<T>::add_to_contribution(Front<T>& front, View<T> child, std::span<const Run> runs) const {
  const View<T>& target = front.contribution;
  const bool symmetric = source_.kind == Kind::cholesky;
  if (!front.contribution_is_set) {
    for (Index j = 0; j < target.cols; ++j) {
      std::fill(target.column(j) + (symmetric ? j : 0), target.column(j) + target.rows, T(0));
    }
    front.contribution_is_set = true;
  }
  for (std::size_t q = 0; q < runs.size(); ++q) {
    const Run& run = runs[q];
    for (Index j = run.begin; j < run.end; ++j) {
      T* to = target.column(run.target + j - run.begin - front.width);
      add_column(symmetric ? runs.subspan(q) : runs, child.column(j), symmetric ? j : 0, to, front.width);
    }
  }
}

template <Scalar T>
void Assembly<T>::add_child(Front<T>& front, View<T> child, std::span<const Index> rows) {
  find_runs(front, rows);
  std::size_t first = 0;
  for (const Panel<T>& panel : front.panels) {
    std::size_t last = first;
    while (last < runs_.size() && runs_[last].target < panel.end()) ++last;
    if (first < last) add_to_panel(panel, child, first, last);
    first = last;
  }
  if (first < runs_.size()) add_to_contribution(front, child, std::span<const Run>(runs_).subspan(first));
}

#define TRISWEEP_INSTANTIATE(T)    \
  template struct LowerColumns<T>; \
  template class Assembly<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
