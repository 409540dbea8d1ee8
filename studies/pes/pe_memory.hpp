#pragma once
// All that a PE has, in the memory of its device.

#include <deque>

#include "studies/pes/pe_view.hpp"
#include "trisweep/backend/memory.hpp"

namespace trisweep::studies {

// Arrays on a device: what kernels only read, and what clear() zeroes before each solve.
class PeArrays {
 public:
  PeArrays(backend::Device device, backend::MemoryUse zeroed) : device_(device), zeroed_use_(zeroed) {}

  template <class A>
  const A* place(const std::vector<A>& list) {
    return reinterpret_cast<const A*>(placed_.emplace_back(device_, std::as_bytes(std::span(list))).data());
  }
  template <class A>
  A* zeros(std::size_t count) {
    return reinterpret_cast<A*>(zeroed_.emplace_back(device_, count * sizeof(A), zeroed_use_).data());
  }
  template <class A>
  void copy(A* to, const A* from, std::size_t count, void* stream) const {
    const std::size_t bytes = count * sizeof(A);
    runtime(device_).copy(to, bytes, from, bytes, bytes, 1, stream);
  }
  void clear(void* stream) const {
    for (const auto& array : zeroed_) runtime(device_).clear(array.data(), array.size(), stream);
  }

 private:
  backend::Device device_;
  backend::MemoryUse zeroed_use_;
  std::deque<backend::DeviceArray<const std::byte>> placed_;
  std::deque<backend::DeviceArray<std::byte>> zeroed_;
};

// What other PEs contribute, in memory that is managed, hence common to all.
template <Scalar T>
class ManagedSums {
 public:
  using Number = backend::NumberOf<T>;

  // Without pages that move, on the host, the PE that has each is counted.
  ManagedSums(backend::Device device, const PePrograms<T>& programs)
      : foreign_(programs.foreign), memory_(device, backend::MemoryUse::managed) {
    if (programs.exchange != Exchange::unified) return;
    sums_ = {memory_.zeros<Number>(foreign_.size()), memory_.zeros<Degree>(foreign_.size())};
    if (!is_gpu(device)) page_ = memory_.zeros<Index>(foreign_.size() / components_of_page<Number> + 1);
  }

  const Sums<Number>& sums() const { return sums_; }
  Index* page() const { return page_; }
  void reset(void* stream) const {
    memory_.clear(stream);
    if (sums_.missing != nullptr) memory_.copy(sums_.missing, foreign_.data(), foreign_.size(), stream);
  }

 private:
  const std::vector<Degree>& foreign_;
  PeArrays memory_;
  Sums<Number> sums_{};
  Index* page_ = nullptr;
};

template <Scalar T>
class PeMemory {
 public:
  using Number = backend::NumberOf<T>;

  // On the current device of that kind. The programs outlive it.
  PeMemory(backend::Device device, const PePrograms<T>& programs, Index pe)
      : memory_(device, backend::MemoryUse::reached),
        rows_(programs.owner.size()),
        missing_(memory_.place(programs.pe[usize(pe)].missing)),
        heap_{.control = memory_.zeros<PeControl>(1),
              .own = sums(),
              .shared = {},
              .page = nullptr,
              .arrived = nullptr,
              .signal = nullptr},
        view_(view_of(programs, pe)) {
    if (programs.exchange == Exchange::get_update_put) {
      foreign_ = memory_.place(programs.foreign);
      heap_.shared = sums();
    }
    if (programs.exchange == Exchange::push) {
      const auto slots = usize(programs.pe[usize(pe)].arrival.back());
      heap_.arrived = memory_.zeros<Number>(slots);
      heap_.signal = memory_.zeros<Degree>(slots);
    }
  }

  PeHeap<Number> heap(const ManagedSums<T>& managed) const {
    PeHeap<Number> heap = heap_;
    if (managed.sums().sum != nullptr) heap.shared = managed.sums();
    heap.page = managed.page();
    return heap;
  }
  // `heap`: of all PEs, by PE; `mine`: a copy of one of them.
  PeView<Number> view(const PeHeap<Number>* heap, const PeHeap<Number>& mine) const {
    PeView<Number> view = view_;
    view.heap = heap;
    view.mine = mine;
    return view;
  }
  const PeControl* control() const { return heap_.control; }

  void reset(void* stream) const {
    memory_.clear(stream);
    memory_.copy(heap_.own.missing, missing_, rows_, stream);
    if (foreign_ != nullptr) memory_.copy(heap_.shared.missing, foreign_, rows_, stream);
  }

 private:
  Sums<Number> sums() { return {memory_.zeros<Number>(rows_), memory_.zeros<Degree>(rows_)}; }

  PeView<Number> view_of(const PePrograms<T>& programs, Index me) {
    const PeProgram<T>& program = programs.pe[usize(me)];
    const auto numbers = [this](const std::vector<T>& list) {
      return list.empty() ? nullptr : reinterpret_cast<const Number*>(memory_.place(list));
    };
    return {.me = me,
            .pes = static_cast<Index>(programs.pe.size()),
            .components = static_cast<Index>(program.component.size()),
            .mine = {},
            .heap = nullptr,
            .owner = memory_.place(programs.owner),
            .component = memory_.place(program.component),
            .number = memory_.place(program.number),
            .diagonal = numbers(program.diagonal),
            .begin = memory_.place(program.begin),
            .arrival = memory_.place(program.arrival),
            .user = memory_.place(program.user),
            .value = numbers(program.value),
            .slot = memory_.place(program.slot)};
  }

  PeArrays memory_;
  std::size_t rows_;
  const Degree *missing_, *foreign_ = nullptr;
  PeHeap<Number> heap_;
  PeView<Number> view_;
};

}  // namespace trisweep::studies
