#pragma once
// PEs in the host's memory: for threads that play their warps, or for the clock.

#include <deque>

#include "studies/pes/pe_memory.hpp"

namespace trisweep::studies {

class HostMemory {
 public:
  struct Queue {};

  template <class A>
  const A* place(const std::vector<A>& list) const {
    return list.data();
  }
  template <class A>
  A* zeros(std::size_t count) {
    return reinterpret_cast<A*>(block_.emplace_back(count * sizeof(A)).data());
  }
  template <class A>
  void copy(A* to, const A* from, std::size_t count, Queue) const {
    std::copy_n(from, count, to);
  }
  void clear(Queue) {
    for (auto& block : block_) std::ranges::fill(block, std::byte{});
  }

 private:
  std::deque<std::vector<std::byte>> block_;
};

template <Scalar T>
class HostPes {
 public:
  using Number = device::NumberOf<T>;

  // The programs outlive it.
  explicit HostPes(const PePrograms<T>& programs) : managed_(programs, true) {
    for (Index p = 0; usize(p) < programs.pe.size(); ++p)
      heap_.push_back(memory_.emplace_back(programs, p).heap(managed_));
    for (std::size_t p = 0; p < heap_.size(); ++p) view_.push_back(memory_[p].view(heap_.data(), heap_[p]));
  }

  // Before each solve.
  void reset() {
    managed_.reset({});
    for (auto& pe : memory_) pe.reset({});
  }
  const std::vector<PeView<Number>>& views() const { return view_; }

 private:
  ManagedSums<T, HostMemory> managed_;
  std::deque<PeMemory<T, HostMemory>> memory_;
  std::vector<PeHeap<Number>> heap_;
  std::vector<PeView<Number>> view_;
};

}  // namespace trisweep::studies
