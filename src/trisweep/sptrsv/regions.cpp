#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::sptrsv {
namespace {

// Work of a thread in a step. More means fewer waits, but also fewer steps in which all threads have work.
constexpr Offset work_of_step = 8000;

constexpr Index nobody = -1, several = -2;

using Heap = std::priority_queue<Index, std::vector<Index>, std::greater<>>;

class Growth {
 public:
  Growth(const matrix::Pattern& below, int threads)
      : below_(below),
        users_(matrix::transpose(below)),
        missing_(usize(below.rows)),
        in_step_(usize(below.rows), nobody) {
    assignment_.resize(usize(threads));
    for (Index i = 0; i < below.rows; ++i) {
      missing_[usize(i)] = static_cast<Index>(below.row(i).size());
      if (missing_[usize(i)] == 0) ready_.push_back(i);
    }
  }

  Assignment grow() {
    while (!ready_.empty()) step();
    return std::move(assignment_);
  }

 private:
  // Each thread takes a part of the ready rows, and the rows that become ready through its part alone.
  void step() {
    const std::vector<Index> ready = std::exchange(ready_, {});
    const std::size_t threads = assignment_.size();
    std::size_t next = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      const std::size_t end = ready.size() * (t + 1) / threads;
      next = grow_region(static_cast<Index>(t), ready, next, end);
      ready_.insert(ready_.end(), ready.begin() + std::ptrdiff_t(next), ready.begin() + std::ptrdiff_t(end));
      next = end;
    }
    const std::ptrdiff_t rest = std::ssize(ready_);  // rows not taken, still ascending
    for (const Index i : touched_) {
      in_step_[usize(i)] = nobody;
      if (missing_[usize(i)] == 0) ready_.push_back(i);
    }
    touched_.clear();
    std::ranges::sort(ready_.begin() + rest, ready_.end());
    std::ranges::inplace_merge(ready_, ready_.begin() + rest);
  }

  // Takes rows from ready[next, end), up to the work of a step; returns the first row not taken.
  std::size_t grow_region(Index thread, const std::vector<Index>& ready, std::size_t next, std::size_t end) {
    ThreadRows& mine = assignment_[usize(thread)];
    Heap own;
    Offset work = 0;
    while (work < work_of_step && (next < end || !own.empty())) {
      Index row;
      if (!own.empty() && (next == end || own.top() < ready[next])) {
        row = own.top();
        own.pop();
      } else {
        row = ready[next++];
      }
      mine.row.push_back(row);
      work += work_of(below_, row);
      missing_[usize(row)] = -1;  // computed
      for (const Index user : users_.row(row)) {
        if (is_last_for(user, thread)) own.push(user);
      }
    }
    mine.end_block();
    return next;
  }

  // Counts down a dependency of `user`. Returns true if it was the last one, and none was computed by another
  // thread in this step.
  bool is_last_for(Index user, Index thread) {
    Index& by = in_step_[usize(user)];
    if (by == nobody) touched_.push_back(user);
    by = by == nobody || by == thread ? thread : several;
    return --missing_[usize(user)] == 0 && by == thread;
  }

  const matrix::Pattern& below_;
  const matrix::Pattern users_;  // by row: rows that depend on it
  std::vector<Index> missing_;   // by row: dependencies not assigned yet
  std::vector<Index> in_step_;   // by row: the thread that computes its dependencies in this step
  std::vector<Index> touched_;   // rows with dependencies in this step
  std::vector<Index> ready_;     // rows without missing dependencies when the step begins, ascending
  Assignment assignment_;
};

}  // namespace

Assignment regions(const matrix::Pattern& below, int threads) {
  return Growth(below, threads).grow();
}

}  // namespace trisweep::sptrsv
