#include "trisweep/core/thread_pool.hpp"

#include <fmt/format.h>

#include <thread>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/core/thread_rounds.hpp"

namespace trisweep {

struct ThreadPool::Shared {
  ThreadRounds<> rounds;
  std::vector<std::jthread> others;
};

void require_threads(int threads, int least) {
  if (threads >= least && threads <= most_threads) return;
  throw Error(ErrorKind::usage, fmt::format("{} threads of a rank", threads),
              fmt::format("take a number from {} to {}", least, most_threads));
}

ThreadPool::ThreadPool(int threads) : size_(threads) {
  require_threads(threads);
  if (threads > 1) start();
}

void ThreadPool::start() {
  auto shared = std::make_unique<Shared>();
  try {
    for (int thread = 1; thread < size_; ++thread)
      shared->others.emplace_back([of = shared.get(), thread] { of->rounds.serve(thread); });
  } catch (...) {  // not all that were asked for: those that there are end
    shared->rounds.end();
    throw;
  }
  shared_ = std::move(shared);
  process_ = getpid();
}

// A forked child can neither wait for the other threads nor destroy what they wait in: that is kept.
void ThreadPool::leave_after_fork() {
  if (getpid() != process_) static_cast<void>(shared_.release());
}

ThreadPool::~ThreadPool() {
  leave_after_fork();
  if (shared_) shared_->rounds.end();
}

void ThreadPool::run(const std::function<void(int)>& work) {
  if (size_ == 1) return work(0);
  leave_after_fork();
  if (!shared_) start();
  shared_->rounds.run(size_, work);
}

}  // namespace trisweep
