#include "trisweep/core/crew.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/wait.hpp"

namespace trisweep {

void require_threads(int threads, int least) {
  if (threads >= least && threads <= most_threads) return;
  throw Error(ErrorKind::usage, fmt::format("{} threads of a rank", threads),
              fmt::format("take a number from {} to {}", least, most_threads));
}

Crew::Crew(int threads) {
  require_threads(threads);
  try {
    for (int thread = 1; thread < threads; ++thread)
      others_.emplace_back([round = round_.get(), thread] { round->serve(thread); });
  } catch (const std::system_error& e) {  // not all that were asked for: those that there are end
    round_->end();
    others_.clear();
    throw Error(ErrorKind::environment, fmt::format("{} threads cannot be started: {}", threads, e.what()),
                "use fewer threads");
  }
}

// A forked child can wait for no other thread, nor destroy what others wait in: that is kept.
Crew::~Crew() {
  if (getpid() == process_) {
    round_->end();
  } else {
    for (std::jthread& other : others_) other.detach();
    static_cast<void>(round_.release());
  }
}

void Crew::run(const std::function<void(int)>& work) {
  if (others_.empty()) return work(0);
  if (getpid() != process_)
    throw Error(ErrorKind::usage, "the threads of this solver are those of the process that forked this one",
                "make a solver in each process after the fork, or one without threads before");
  Round& round = *round_;
  {
    const std::lock_guard lock(round.mutex);
    round.work = &work;
    round.busy = static_cast<int>(others_.size());
    ++round.number;
  }
  round.changed.notify_all();
  round.attempt(0);
  const auto done = [&] { return round.busy == 0; };
  soon(done);
  std::unique_lock lock(round.mutex);
  round.changed.wait(lock, done);
  if (auto failure = std::exchange(round.failure, nullptr)) std::rethrow_exception(failure);
}

void Crew::Round::end() {
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_all();
}

void Crew::Round::serve(int thread) {
  long served = 0;
  const auto called = [&] { return ended || number != served; };
  while (true) {
    soon(called);
    std::unique_lock lock(mutex);
    changed.wait(lock, called);
    if (ended) return;
    served = number;
    lock.unlock();
    attempt(thread);
    lock.lock();
    if (--busy == 0) changed.notify_all();
  }
}

void Crew::Round::attempt(int thread) {
  try {
    (*work)(thread);
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace trisweep
