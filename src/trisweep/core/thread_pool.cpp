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
  } catch (...) {  // the system refused a thread: end those that started
    shared->rounds.end();
    throw;
  }
  shared_ = std::move(shared);
  process_ = getpid();
}

// A forked child can neither join the other threads nor destroy what they wait on, so that memory is not
// freed.
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
