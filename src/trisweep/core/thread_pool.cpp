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
  if (threads == 1) return;
  shared_ = std::make_unique<Shared>();
  try {
    for (int thread = 1; thread < threads; ++thread)
      shared_->others.emplace_back([shared = shared_.get(), thread] { shared->rounds.serve(thread); });
  } catch (...) {  // not all that were asked for: those that there are end
    shared_->rounds.end();
    throw;
  }
}

// A forked child can neither wait for the other threads nor destroy what they wait in: that is kept.
ThreadPool::~ThreadPool() {
  if (size_ == 1) return;
  if (getpid() == process_) {
    shared_->rounds.end();
  } else {
    static_cast<void>(shared_.release());
  }
}

void ThreadPool::run(const std::function<void(int)>& work) {
  if (size_ == 1) return work(0);
  if (getpid() != process_)
    throw Error(ErrorKind::usage, "the threads of this solver are those of the process that forked this one",
                "make a solver in each process after the fork, or one without threads before");
  shared_->rounds.run(size_, work);
}

}  // namespace trisweep
