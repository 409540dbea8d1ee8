#pragma once
#include <atomic>

namespace trisweep {

// Counts the progress of one thread or process, its owner, which alone sets it. The owner's reads and writes
// before set() (release) happen before whatever follows a reached() that sees the count (acquire). `Word`: an
// atomic, or a reference to one.
template <class Word>
class ProgressCount {
 public:
  ProgressCount() = default;
  explicit ProgressCount(Word word) : word_(word) {}

  template <class Count>
  bool reached(Count count) const {
    return word_.load(std::memory_order_acquire) >= count;
  }
  template <class Count>
  void set(Count count) {
    word_.store(count, std::memory_order_release);
  }
  // The count, read by its owner.
  auto own() const { return word_.load(std::memory_order_relaxed); }

 private:
  Word word_{};
};

}  // namespace trisweep
