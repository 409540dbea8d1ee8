#pragma once
// How the threads of a pool share their work, round by round, and sleep in between.

#include <exception>
#include <functional>
#include <mutex>

#include "trisweep/core/wait.hpp"

namespace trisweep {

// One thread calls run() repeatedly and end() once, at last; each of the others stays in serve() until end().
template <class Threads = StandardThreads>
class ThreadRounds {
 public:
  // Calls work(thread) on every thread of `threads`, the caller being thread 0, and returns when all calls
  // have returned. Then rethrows the first exception.
  void run(int threads, const std::function<void(int)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      busy_ = threads - 1;
      ++round_;
    }
    changed_.notify_all();
    attempt(0);
    const auto done = [&] { return busy_ == 0; };
    Threads::soon(done);
    std::exception_ptr failure;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, done);
      failure = failure_;
      failure_ = nullptr;
    }
    if (failure) std::rethrow_exception(failure);
  }
  void serve(int thread) {
    long served = 0;
    const auto called = [&] { return ended_ || round_ != served; };
    while (true) {
      Threads::soon(called);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, called);
      if (ended_) return;
      served = round_;
      lock.unlock();
      attempt(thread);
      lock.lock();
      if (--busy_ == 0) changed_.notify_all();
    }
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }

 private:
  template <class T>
  using Plain = typename Threads::template Plain<T>;

  void attempt(int thread) {
    std::exception_ptr failure;
    try {
      const std::function<void(int)>* const work = work_;
      (*work)(thread);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!failure) return;
    const std::lock_guard lock(mutex_);
    const std::exception_ptr first = failure_;
    if (!first) failure_ = failure;
  }

  typename Threads::Mutex mutex_;
  typename Threads::Condition changed_;
  Plain<const std::function<void(int)>*> work_ = nullptr;
  // Changed with the mutex held; read without it by threads that still spin.
  typename Threads::template Atomic<long> round_ = 0;
  typename Threads::template Atomic<int> busy_ = 0;  // other threads at work in this round
  typename Threads::template Atomic<bool> ended_ = false;
  Plain<std::exception_ptr> failure_{};
};

}  // namespace trisweep
