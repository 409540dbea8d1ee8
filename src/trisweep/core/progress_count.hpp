#pragma once
#include <atomic>

namespace trisweep {

// How far a thread or process has come, counted by it alone: whatever it has read and written before it set
// the count (release) is behind whoever has seen the count (acquire). `Word`: an atomic, or a reference to
// one.
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
  // Of the one that sets it.
  auto own() const { return word_.load(std::memory_order_relaxed); }

 private:
  Word word_{};
};

}  // namespace trisweep
