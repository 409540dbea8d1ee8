#pragma once
// The words of shared memory by which ranks, or threads, tell each other of slots: what has come, and what
// may be written again. Everything else there is written and read plainly, and ordered by these.

#include <atomic>
#include <cstdint>

#include "trisweep/core/progress_count.hpp"

namespace trisweep::mpi {

using SharedWord = std::atomic_ref<std::uint64_t>;
static_assert(SharedWord::is_always_lock_free, "atomic operations are not lock-free on this processor");

// Messages that have come for one receiver. Any sender appends, the receiver takes the whole list at once.
//
// A sender writes data and link, then the head by a compare-and-exchange (release); the receiver empties the
// list by an exchange of the head (acquire). The heads that other senders write in between are exchanges,
// too, and so belong to the release sequence of each one before: whoever takes the list sees all that is on
// it. `Word`: SharedWord, but for tests of the orders.
template <class Word = SharedWord>
class ArrivalList {
 public:
  // `head`: the newest message, by any number but 0; 0: none.
  explicit ArrivalList(Word head) : head_(head) {}

  // `next`: the message's link, to the one that came before.
  template <class Link>
  void append(std::uint64_t message, Link& next) {
    std::uint64_t newest = head_.load(std::memory_order_relaxed);
    do {
      next = newest;
    } while (
        !head_.compare_exchange_weak(newest, message, std::memory_order_release, std::memory_order_relaxed));
  }
  // The newest; the list is empty then.
  std::uint64_t take() {
    return head_.load(std::memory_order_relaxed) == 0 ? 0 : head_.exchange(0, std::memory_order_acquire);
  }

 private:
  Word head_;
};

// Solves that a rank has come to the end of: its credit to the others, who may then write to its slots again.
using SolveCount = ProgressCount<SharedWord>;

}  // namespace trisweep::mpi
