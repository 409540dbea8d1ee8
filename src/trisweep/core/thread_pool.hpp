#pragma once
// Threads that live as long as the object: starting threads for every sweep would cost more than a small
// sweep. A forked child has none of them: it starts its own when it first runs something.

#include <unistd.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace trisweep {

inline constexpr int most_threads = 1024;  // per rank
// Throws Error(usage) unless `threads` is from `least` to most_threads.
void require_threads(int threads, int least = 1);

// Threads that sleep between calls.
class ThreadPool {
 public:
  // `threads` includes the caller's thread, which is thread 0. Throws Error(usage) unless it is from 1 to
  // most_threads, and std::system_error if the system refuses a thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The number of threads, the caller's included.
  int size() const { return size_; }
  // Calls work(thread) once on every thread and returns when all calls have returned, rethrowing the first
  // exception; `work` itself must ensure that the other calls end then. In a forked child the first run()
  // starts threads, and throws what the constructor throws.
  void run(const std::function<void(int)>& work);

  // A range of indices.
  struct Part {
    std::size_t begin;  // first index
    std::size_t end;    // one past the last
  };
  // The part of [0, count) of `thread`: parts are about equal and begin at multiples of `multiple` >= 1.
  // Throws nothing.
  Part part(int thread, std::size_t count, std::size_t multiple) const {
    const auto from = [&](int t) {
      return count / multiple * static_cast<std::size_t>(t) / static_cast<std::size_t>(size()) * multiple;
    };
    return {from(thread), thread + 1 == size() ? count : from(thread + 1)};
  }

 private:
  struct Shared;  // the threads and what they share
  void start();
  void leave_after_fork();

  int size_;
  pid_t process_ = getpid();        // the process that started the threads
  std::unique_ptr<Shared> shared_;  // null for a single thread
};

}  // namespace trisweep
