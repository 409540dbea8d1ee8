#include "trisweep/core/thread_pool.hpp"

#include <fmt/format.h>

#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/wait.hpp"

namespace trisweep {

void require_threads(int threads, int least) {
  if (threads >= least && threads <= most_threads) return;
  throw Error(ErrorKind::usage, fmt::format("{} threads of a rank", threads),
              fmt::format("take a number from {} to {}", least, most_threads));
}

ThreadPool::ThreadPool(int threads) : size_(threads) {
  require_threads(threads);
  if (threads == 1) return;
  shared_ = std::make_unique<Shared>();
  try {
    for (int thread = 1; thread < threads; ++thread)
      shared_->others.emplace_back([shared = shared_.get(), thread] { shared->serve(thread); });
  } catch (...) {  // not all that were asked for: those that there are end
    shared_->end();
    throw;
  }
}

// A forked child can neither wait for the other threads nor destroy what they wait in: that is kept.
ThreadPool::~ThreadPool() {
  if (size_ == 1) return;
  if (getpid() == process_) {
    shared_->end();
  } else {
    static_cast<void>(shared_.release());
  }
}

void ThreadPool::run(const std::function<void(int)>& work) {
  if (size_ == 1) return work(0);
  if (getpid() != process_)
    throw Error(ErrorKind::usage, "the threads of this solver are those of the process that forked this one",
                "make a solver in each process after the fork, or one without threads before");
  Shared& shared = *shared_;
  {
    const std::lock_guard lock(shared.mutex);
    shared.work = &work;
    shared.busy = size_ - 1;
    ++shared.round;
  }
  shared.changed.notify_all();
  shared.attempt(0);
  const auto done = [&] { return shared.busy == 0; };
  soon(done);
  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, done);
  if (auto failure = std::exchange(shared.failure, nullptr)) std::rethrow_exception(failure);
}

void ThreadPool::Shared::end() {
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_all();
}

void ThreadPool::Shared::serve(int thread) {
  long served = 0;
  const auto called = [&] { return ended || round != served; };
  while (true) {
    soon(called);
    std::unique_lock lock(mutex);
    changed.wait(lock, called);
    if (ended) return;
    served = round;
    lock.unlock();
    attempt(thread);
    lock.lock();
    if (--busy == 0) changed.notify_all();
  }
}

void ThreadPool::Shared::attempt(int thread) {
  try {
    (*work)(thread);
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace trisweep
