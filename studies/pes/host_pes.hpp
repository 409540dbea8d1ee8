#pragma once
// PEs in host memory, for the simulation by a clock.

#include "studies/pes/pe_memory.hpp"

namespace trisweep::studies {

template <Scalar T>
class HostPes {
 public:
  using Number = backend::NumberOf<T>;

  // The programs must outlive it.
  explicit HostPes(const PePrograms<T>& programs) : managed_(host, programs) {
    for (Index p = 0; usize(p) < programs.pe.size(); ++p)
      heap_.push_back(with_managed(memory_.emplace_back(host, programs, p).heap(), managed_));
    for (std::size_t p = 0; p < heap_.size(); ++p) view_.push_back(memory_[p].view(heap_.data(), heap_[p]));
  }

  // To be called before each solve.
  void reset() {
    managed_.reset(nullptr);
    for (auto& pe : memory_) pe.reset(nullptr);
  }
  const std::vector<PeView<Number>>& views() const { return view_; }

 private:
  static constexpr backend::Device host = backend::Device::emulated;

  ManagedSums<T> managed_;
  std::deque<PeMemory<T>> memory_;
  std::vector<PeHeap<Number>> heap_;
  std::vector<PeView<Number>> view_;
};

}  // namespace trisweep::studies
