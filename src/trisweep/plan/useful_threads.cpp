#include "trisweep/plan/useful_threads.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trisweep/plan/grain.hpp"

namespace trisweep::plan {
namespace {

// The overhead of a task, 0.1 to 0.5 us (`trisweep solve --threads 2` of tridiagonal:200000 and arrow:100000,
// AMD EPYC, 28 November 2026), in the entries that a thread reads in this time.
constexpr double entries_of_task = 500;
// 0.15 ms, against which waking a thread, some ten microseconds, costs little.
constexpr double least_of_thread = 4 * grain_of_threads;
constexpr double least_gain = 1.25;
// A sweep is cut into tasks for this many threads, however many there are, so that its sums are always the
// same.
constexpr double threads_of_tasks = 8;

// Time of a sweep relative to that of one right-hand side: 10 to 15 with fifty (`trisweep solve --threads 1
// --nrhs 50` of convection3d:40, s2d9:512, poisson3d:16).
double time_of(Index nrhs) {
  return (nrhs + 3) / 4.0;
}

// In panel entries of one side.
struct Load {
  double panels = 0;
  double tasks = 0;  // with the overhead of each task
  double path = 0;   // of tasks that wait for each other
};

// By root: entries of the whole subtree.
std::vector<double> subtree_entries(const symbolic::Structure& s) {
  std::vector<double> entries(usize(s.supernodes()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    entries[usize(k)] += double(s.entries(k));
    if (const Index up = s.parent[usize(k)]; up >= 0) entries[usize(up)] += entries[usize(k)];
  }
  return entries;
}

// The tasks of sweep_subtrees.cpp: subtrees of at most a grain, of which whole trees are merged, and above
// them each supernode, whose panel is cut into grains that threads share.
Load load_of(const symbolic::Structure& s, double threads) {
  constexpr double grain = grain_of_threads;
  const std::vector<double> subtree = subtree_entries(s);
  std::vector<double> path(subtree.size());  // longest that ends in a supernode
  Load load;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index up = s.parent[usize(k)];
    const bool is_subtree = subtree[usize(k)] <= grain;
    if (is_subtree && up >= 0 && subtree[usize(up)] <= grain) continue;
    const double entries = is_subtree ? subtree[usize(k)] : double(s.entries(k)), grains = entries / grain;
    const bool is_put_together = is_subtree && up < 0;
    load.panels += entries;
    load.tasks += entries + entries_of_task * (is_put_together ? grains : std::max(grains, 1.0));
    path[usize(k)] += entries / std::clamp(grains, 1.0, threads) + entries_of_task;
    load.path = std::max(load.path, path[usize(k)]);
    if (up >= 0) path[usize(up)] = std::max(path[usize(up)], path[usize(k)]);
  }
  return load;
}

}  // namespace

Offset task_grain(const symbolic::Structure& structure) {
  const Load load = load_of(structure, threads_of_tasks);
  const bool costs_more = std::max(load.path, load.tasks / threads_of_tasks) > load.panels;
  return costs_more ? grain_of_trees : grain_of_threads;
}

int useful_threads(const symbolic::Structure& structure, Index ranks, Index nrhs, int most) {
  const Load load = load_of(structure, double(ranks) * most);
  const auto time = [&](double work, int threads) { return std::max(load.path, work / ranks / threads); };
  const double for_work = load.panels / ranks * time_of(nrhs) / least_of_thread;
  const double for_path = std::ceil(load.tasks / ranks / load.path);
  const int threads = static_cast<int>(std::clamp(std::min(for_work, for_path), 1.0, double(most)));
  return time(load.panels, 1) >= least_gain * time(load.tasks, threads) ? threads : 1;
}

}  // namespace trisweep::plan
