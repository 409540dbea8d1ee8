#include "trisweep/core/crew.hpp"

#include <utility>

#include "trisweep/core/wait.hpp"

namespace trisweep {

Crew::Crew(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread) others_.emplace_back([this, thread] { serve(thread); });
  } catch (...) {  // not all that were asked for: those that there are end
    end();
    throw;
  }
}

Crew::~Crew() {
  end();
}

void Crew::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void Crew::run(const std::function<void(int)>& work) {
  if (others_.empty()) return work(0);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = static_cast<int>(others_.size());
    ++round_;
  }
  changed_.notify_all();
  attempt(0);
  const auto done = [&] { return busy_ == 0; };
  soon(done);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, done);
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Crew::serve(int thread) {
  long served = 0;
  const auto called = [&] { return ended_ || round_ != served; };
  while (true) {
    soon(called);
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

void Crew::attempt(int thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace trisweep
