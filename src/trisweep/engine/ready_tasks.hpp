#pragma once
// Queue of the tasks of a sweep that are ready to run, ordered by priority, for several threads.

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/core/wait.hpp"

namespace trisweep::engine {

template <class Threads = StandardThreads>
class ReadyTasksOf {
 public:
  // Room for that many tasks, so that pushing does not allocate.
  void reserve(std::size_t tasks) { heap_.reserve(tasks); }
  // With one thread nothing is locked.
  void open(int threads) {
    threads_ = threads;
    heap_.clear();
    count_ = 0;
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
      const auto turn = turn_of(threads_, mutex_);
      heap_.push_back(task);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
      count_.store(heap_.size(), std::memory_order_release);
    }
    if (threads_ > 1) changed_.notify_one();
  }
  // Returns nothing if no task is ready now.
  std::optional<Index> try_pop() {
    if (count_ == 0) return std::nullopt;
    const auto turn = turn_of(threads_, mutex_);
    return take();
  }
  // Waits for a task; returns nothing if there will be no more.
  std::optional<Index> pop() {
    const auto any = [&] { return closed_ || count_ > 0; };
    while (Threads::soon(any)) {
      if (const auto task = try_pop(); task || closed_) return task;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, any);
    return take();
  }

 private:
  std::optional<Index> take() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    const Index task = heap_.back();
    heap_.pop_back();
    count_.store(heap_.size(), std::memory_order_release);
    return task;
  }

  typename Threads::Mutex mutex_;
  typename Threads::Condition changed_;
  std::vector<Index> heap_;
  int threads_ = 1;
  // Changed with the mutex held, read without it by threads that do not sleep yet.
  typename Threads::template Atomic<std::size_t> count_ = 0;  // size of the heap
  typename Threads::template Atomic<bool> closed_ = false;
};
using ReadyTasks = ReadyTasksOf<>;

}  // namespace trisweep::engine
