#pragma once
// Threads that live as long as the object: starting threads for every sweep would cost more than a small
// sweep. A forked child has none of them: it starts its own when it first runs something.

#include <unistd.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace trisweep {

inline constexpr int most_threads = 1024;  // of a rank
// Throws Error(usage) unless a rank can have that many `threads`: from `least` to most_threads.
void require_threads(int threads, int least = 1);

// Threads that sleep between calls.
class ThreadPool {
 public:
  // `threads` counts the caller's, which is thread 0. Throws Error(usage) beyond 1 to most_threads, and
  // what the system throws when it gives fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The number of threads, the caller's included.
  int size() const { return size_; }
  // Calls work(thread) once on every thread and returns when all calls have. The first exception is rethrown
  // then; `work` itself must see to it that the other calls end. In a forked child the first call starts
  // threads, and throws what the constructor throws.
  void run(const std::function<void(int)>& work);

  // A range of indices.
  struct Part {
    std::size_t begin;  // first index
    std::size_t end;    // one past the last
  };
  // The thread's part of [0, count): about equal parts that begin at multiples of `multiple` >= 1. Throws
  // nothing.
  Part part(int thread, std::size_t count, std::size_t multiple) const {
    const auto from = [&](int t) {
      return count / multiple * static_cast<std::size_t>(t) / static_cast<std::size_t>(size()) * multiple;
    };
    return {from(thread), thread + 1 == size() ? count : from(thread + 1)};
  }

 private:
  struct Shared;  // what the threads share, and themselves
  void start();
  void leave_after_fork();

  int size_;
  pid_t process_ = getpid();        // that has the threads
  std::unique_ptr<Shared> shared_;  // with several threads: one alone needs no memory
};

}  // namespace trisweep
