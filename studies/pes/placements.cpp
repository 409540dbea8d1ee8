#include <algorithm>

#include "studies/pes/designs.hpp"
#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::studies {

std::vector<Index> contiguous(const matrix::Pattern&, const PeLayout& layout) {
  std::vector<Index> pe(usize(layout.all_tasks()));
  for (std::size_t task = 0; task < pe.size(); ++task)
    pe[task] = static_cast<Index>(task) / static_cast<Index>(layout.tasks);
  return pe;
}

std::vector<Index> round_robin(const matrix::Pattern&, const PeLayout& layout) {
  std::vector<Index> pe(usize(layout.all_tasks()));
  for (std::size_t task = 0; task < pe.size(); ++task)
    pe[task] = static_cast<Index>(task) % static_cast<Index>(layout.pes);
  return pe;
}

std::vector<Index> earliest_finish(const matrix::Pattern& below, const PeLayout& layout) {
  constexpr double crossing = 8;  // cost of an entry between PEs, in entries
  const std::size_t tasks = usize(layout.all_tasks()), pes = static_cast<std::size_t>(layout.pes);
  std::vector<Index> pe(tasks);
  std::vector<double> busy(pes), entries(tasks), end(tasks);
  for (Index row = 0, next = 0; usize(next) < tasks; ++next) {
    double work = 0;
    std::ranges::fill(entries, 0);
    for (; row < below.rows && layout.task_of(row, below.rows) == next; ++row) {
      work += double(sptrsv::work_of(below, row));
      for (const Index j : below.row(row)) entries[usize(layout.task_of(j, below.rows))] += 1;
    }
    std::size_t best = 0;
    double best_end = 0;
    for (std::size_t p = 0; p < pes; ++p) {
      double foreign = 0;
      for (std::size_t t = 0; t < usize(next); ++t) foreign += usize(pe[t]) == p ? 0 : entries[t];
      const double ended = busy[p] + work + crossing * foreign;
      if (p == 0 || ended < best_end) best = p, best_end = ended;
    }
    pe[usize(next)] = static_cast<Index>(best);
    busy[best] = best_end;
  }
  return pe;
}

}  // namespace trisweep::studies
