#pragma once
// The atomic words of shared memory by which ranks, or threads, tell each other which slots hold messages and
// which may be written again. All other accesses to that memory are plain, and are ordered by these words.

#include <atomic>
#include <cstdint>

#include "trisweep/core/progress_count.hpp"

namespace trisweep::mpi {

using SharedWord = std::atomic_ref<std::uint64_t>;
static_assert(SharedWord::is_always_lock_free, "atomic operations are not lock-free on this processor");

// List of the messages that have arrived for one receiver. Any sender appends; the receiver takes the whole
// list at once.
//
// A sender writes data and link, then the head by a compare-and-exchange (release); the receiver empties the
// list by an exchange of the head (acquire). Senders in between also write the head by read-modify-write
// operations, which continue the release sequence of each earlier one: the receiver that takes the list sees
// all messages on it. `Word`: SharedWord, except in tests of memory orders.
template <class Word = SharedWord>
class ArrivalList {
 public:
  // `head`: the newest message, as any nonzero number; 0: none.
  explicit ArrivalList(Word head) : head_(head) {}

  // `next`: the message's link, which is set to the previous message.
  template <class Link>
  void append(std::uint64_t message, Link& next) {
    std::uint64_t newest = head_.load(std::memory_order_relaxed);
    do {
      next = newest;
    } while (
        !head_.compare_exchange_weak(newest, message, std::memory_order_release, std::memory_order_relaxed));
  }
  // Returns the newest message, or 0, and empties the list.
  std::uint64_t take() {
    return head_.load(std::memory_order_relaxed) == 0 ? 0 : head_.exchange(0, std::memory_order_acquire);
  }

 private:
  Word head_;
};

// Number of solves that a rank has finished: its credit to the others, which may then write to its slots
// again.
using SolveCount = ProgressCount<SharedWord>;

}  // namespace trisweep::mpi
