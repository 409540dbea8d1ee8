#pragma once
// The tasks of a sweep that can run, first in priority first. Threads push, take and wait.

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::solve {

class ReadyTasks {
 public:
  // Room for that many tasks, so that pushing does not allocate.
  void reserve(std::size_t tasks) { heap_.reserve(tasks); }
  void open() {
    heap_.clear();
    closed_ = false;
  }
  // No more tasks will come: pop() no longer waits for one.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  void push(Index task) {
    {
      const std::lock_guard lock(mutex_);
      heap_.push_back(task);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
    changed_.notify_one();
  }
  // Nothing when there is none at the moment.
  std::optional<Index> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }
  // Waits for one; nothing when there will be none.
  std::optional<Index> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !heap_.empty(); });
    return take();
  }

 private:
  std::optional<Index> take() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    const Index task = heap_.back();
    heap_.pop_back();
    return task;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Index> heap_;
  bool closed_ = false;
};

}  // namespace trisweep::solve
