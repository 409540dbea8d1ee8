#include "trisweep/numeric/tree_parallelism.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <queue>

#include "trisweep/core/thread_pool.hpp"

namespace trisweep::numeric {
namespace {

// Subtrees are split until the largest is this many times smaller than a thread's share.
constexpr double units_per_thread = 8;
// Stands for the parent (-1 for a whole tree) of a subtree or path that is alone in its unit.
constexpr Index no_subtree = -2;
// Time between two calls of while_waiting().
constexpr std::chrono::milliseconds watchdog(100);

// Flops above which a subtree is split.
double most_work(const std::vector<double>& flops, int threads) {
  if (threads == 1) return std::numeric_limits<double>::infinity();
  return std::reduce(flops.begin(), flops.end()) / (units_per_thread * threads);
}

// By front: whether it lies above the cut. The roots of the subtrees are the children of such fronts.
std::vector<char> fronts_above_cut(const FrontTree& tree, const std::vector<double>& flops,
                                   std::span<const char> whole, double most) {
  std::vector<char> above(whole.size());
  std::ranges::transform(whole, above.begin(), [](char is_whole) { return !is_whole; });
  if (most == std::numeric_limits<double>::infinity()) return above;
  std::vector<double> subtree = flops;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index p = tree.parent[usize(f)];
    if (p != -1) subtree[usize(p)] += subtree[usize(f)];
  }
  // Parents come after their children, so descending order sees a parent's decision first.
  for (Index f = tree.fronts() - 1; f >= 0; --f) {
    const Index p = tree.parent[usize(f)];
    const bool reachable = p == -1 || above[usize(p)];
    if (whole[usize(f)]) above[usize(f)] = reachable && subtree[usize(f)] > most;
  }
  return above;
}

// The first front of a path above the cut that ends with `last`: each is the first child of the next one,
// whose other children are small subtrees, of at most `most` flops together, that are done on the way.
Index start_of_path(const FrontTree& tree, const std::vector<double>& flops, const std::vector<char>& above,
                    Index last, double most) {
  double beside = 0;
  for (Index first = last;;) {
    const auto children = tree.children(first);
    const auto split = std::ranges::count_if(children, [&](Index c) { return above[usize(c)] != 0; });
    if (split != 1 || !above[usize(children.front())]) return first;
    const Index next = children.front();
    beside += std::reduce(flops.begin() + next + 1, flops.begin() + first);
    if (beside > most) return first;
    first = next;
  }
}

// Peak of the stack entries of a path. The first front's children are in other units, and the last front's
// contribution block goes to another unit.
Offset stack_of_path(const FrontTree& tree, const Unit& path) {
  Offset alive = 0, peak = 0;
  for (Index f = path.first; f < path.last; ++f) {
    alive += contribution_entries(tree.height[usize(f)]);
    peak = std::max(peak, alive);
    for (const Index c : tree.children(f))
      if (c >= path.first) alive -= contribution_entries(tree.height[usize(c)]);
  }
  return peak;
}

// Parents come after their children.
void link_to_parents(const FrontTree& tree, std::vector<Unit>& units) {
  std::vector<Index> unit_of(usize(tree.fronts()), -1);  // by front that may have children in other units
  for (std::size_t u = 0; u < units.size(); ++u)
    unit_of[usize(units[u].first)] = unit_of[usize(units[u].last)] = static_cast<Index>(u);
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    const Index p = tree.parent[usize(unit->last)];
    unit->urgency = unit->work;
    if (p == -1 || unit_of[usize(p)] == -1) continue;
    unit->parent = unit_of[usize(p)];
    Unit& parent = units[usize(unit->parent)];
    unit->urgency += parent.urgency;
    ++parent.children;
  }
}

// The state that the threads of one run share.
class Run {
 public:
  Run(const std::vector<Unit>& units, const std::function<bool(int, const Unit&)>& work,
      const std::function<void()>& while_waiting)
      : units_(units),
        work_(work),
        while_waiting_(while_waiting),
        waiting_for_(units.size()),
        remaining_(units.size()) {
    for (std::size_t u = 0; u < units.size(); ++u) {
      waiting_for_[u] = units[u].children;
      if (units[u].children == 0) ready_.push({units[u].urgency, u});
    }
  }

  void serve(int thread) {
    std::unique_lock lock(mutex_);
    while (true) {
      while (
          !changed_.wait_for(lock, watchdog, [&] { return stopped_ || remaining_ == 0 || !ready_.empty(); }))
        if (thread == 0) wait_on(lock);
      if (stopped_ || remaining_ == 0) return;
      const std::size_t u = ready_.top().second;
      ready_.pop();
      lock.unlock();
      const bool done = attempt([&] { return work_(thread, units_[u]); });
      lock.lock();
      finish(u, done);
    }
  }

  bool conclude() const {
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

 private:
  void wait_on(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const bool goes_on = attempt([&] {
      while_waiting_();
      return true;
    });
    lock.lock();
    stopped_ |= !goes_on;
    if (stopped_) changed_.notify_all();
  }

  template <class Work>
  bool attempt(const Work& work) {
    try {
      return work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }

  void finish(std::size_t u, bool done) {
    --remaining_;
    stopped_ |= !done;
    const Index p = units_[u].parent;
    if (p != -1 && --waiting_for_[usize(p)] == 0) ready_.push({units_[usize(p)].urgency, usize(p)});
    changed_.notify_all();
  }

  const std::vector<Unit>& units_;
  const std::function<bool(int, const Unit&)>& work_;
  const std::function<void()>& while_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Index> waiting_for_;
  std::priority_queue<std::pair<double, std::size_t>> ready_;
  std::size_t remaining_;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<char> whole_subtrees(const FrontTree& tree, std::span<const char> own) {
  std::vector<char> whole(own.begin(), own.end());
  whole.resize(usize(tree.fronts()), 1);
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index p = tree.parent[usize(f)];
    if (p != -1 && !whole[usize(f)]) whole[usize(p)] = 0;
  }
  return whole;
}

std::vector<Unit> cut_into_units(const FrontTree& tree, const std::vector<double>& flops, int threads,
                                 std::span<const char> own) {
  const std::vector<char> whole = whole_subtrees(tree, own);
  std::vector<double> flops_here = flops;
  for (std::size_t f = 0; f < own.size(); ++f) flops_here[f] *= own[f];
  const double most = most_work(flops_here, threads);
  const std::vector<char> above = fronts_above_cut(tree, flops, whole, most);
  std::vector<Unit> units;    // from the last to the first
  Index before = no_subtree;  // the parent of the last unit's subtrees, if others may be added
  for (Index f = tree.fronts() - 1; f >= 0;) {
    if (!whole[usize(f)]) {
      before = no_subtree;
      --f;
      continue;
    }
    const bool is_path = above[usize(f)] != 0;
    Unit unit{.first = is_path ? start_of_path(tree, flops, above, f, most) : tree.subtree_begin[usize(f)],
              .last = f};
    unit.work = std::reduce(flops.begin() + unit.first, flops.begin() + f + 1);
    unit.stack = is_path ? stack_of_path(tree, unit) : tree.stack_below[usize(f)];
    unit.outgoing = contribution_entries(tree.height[usize(f)]);
    Index parent = tree.parent[usize(f)];
    if (is_path || (parent >= 0 && !whole[usize(parent)])) parent = no_subtree;
    if (parent != no_subtree && parent == before && units.back().work + unit.work <= most) {
      Unit& subtrees = units.back();
      subtrees.first = unit.first;
      subtrees.work += unit.work;
      subtrees.stack = std::max(subtrees.stack, unit.stack);
      subtrees.outgoing += unit.outgoing;
    } else {
      units.push_back(unit);
    }
    before = parent;
    f = unit.first - 1;
  }
  std::ranges::reverse(units);
  link_to_parents(tree, units);
  return units;
}

bool run_units(const std::vector<Unit>& units, int threads, const std::function<bool(int, const Unit&)>& work,
               const std::function<void()>& while_waiting) {
  Run run(units, work, while_waiting);
  ThreadPool(threads).run([&](int thread) { run.serve(thread); });
  return run.conclude();
}

}  // namespace trisweep::numeric
