#include "trisweep/core/crew.hpp"

#include <utility>

namespace trisweep {

Crew::Crew(int threads) {
  for (int thread = 1; thread < threads; ++thread) others_.emplace_back([this, thread] { serve(thread); });
}

Crew::~Crew() {
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
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Crew::serve(int thread) {
  long served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ended_ || round_ != served; });
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
