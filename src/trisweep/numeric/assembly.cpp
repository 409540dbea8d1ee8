#include "trisweep/numeric/assembly.hpp"

#include <algorithm>
#include <complex>

namespace trisweep::numeric {

template <Scalar T>
void Assembly<T>::add_matrix(const Panel<T>& panel) const {
  const Index w = panel.width();
  for (const MatrixEntry& e : source_.fronts.entries(panel.supernode)) {
    const T value = source_.values[usize(e.source)];
    if (e.col >= w)
      panel.upper(e.col - w, e.row) += value;
    else if (e.row >= w)
      panel.lower(e.row - w, e.col) += value;
    else
      panel.diagonal(e.row, e.col) += value;
  }
}

template <Scalar T>
void Assembly<T>::begin(Front<T>& front) {
  for (const Panel<T>& panel : front.panels) {
    for (const View<T>& part : {panel.diagonal, panel.lower, panel.upper})
      std::fill_n(part.data, usize(part.rows) * usize(part.cols), T(0));
    add_matrix(panel);
  }
}

// A run ends where positions stop being consecutive, and where the front's next panel or its contribution
// begins.
template <Scalar T>
void Assembly<T>::find_runs(const Front<T>& front, std::span<const Index> places) {
  runs_.clear();
  auto panel = front.panels.begin();
  Index boundary = panel->end();
  for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
    const Index p = places[usize(i)];
    bool crossed = false;
    for (; panel != front.panels.end() && p >= boundary; crossed = true) {
      if (++panel != front.panels.end()) boundary = panel->end();
    }
    if (i == 0 || crossed || p != places[usize(i) - 1] + 1) runs_.push_back({i, i, p});
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

// Adds the child's rows `rows`, which lie in the panel's columns, to U, stored transposed.
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
  const bool symmetric = !has_upper(source_.fronts.kind);
  for (std::size_t q = first; q < last; ++q) {
    const Run& run = runs[q];
    for (Index j = run.begin; j < run.end; ++j) {
      const Index column = run.target + j - run.begin - panel.start;
      add_column(runs.subspan(symmetric ? q : first, last - (symmetric ? q : first)), child.column(j),
                 symmetric ? j : 0, panel.diagonal.column(column), panel.start);
      add_column(beyond, child.column(j), 0, panel.lower.column(column), panel.end());
    }
    if (!symmetric) add_transposed(panel, child, run, beyond);
  }
}

template <Scalar T>
void Assembly<T>::add_to_contribution(Front<T>& front, View<T> child, std::span<const Run> runs) const {
  const View<T>& target = front.contribution;
  const bool symmetric = !has_upper(source_.fronts.kind);
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
void Assembly<T>::add_child(Front<T>& front, View<T> child, std::span<const Index> places) {
  find_runs(front, places);
  std::size_t first = 0;
  for (const Panel<T>& panel : front.panels) {
    std::size_t last = first;
    while (last < runs_.size() && runs_[last].target < panel.end()) ++last;
    if (first < last) add_to_panel(panel, child, first, last);
    first = last;
  }
  if (first < runs_.size()) add_to_contribution(front, child, std::span<const Run>(runs_).subspan(first));
}

#define TRISWEEP_INSTANTIATE(T) template class Assembly<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
