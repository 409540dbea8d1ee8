#pragma once
// All that a PE has, in the memory of its device. `Memory` is how that is had: place(list) gives what the
// kernels only read, zeros<A>(count) what clear() zeroes before each solve, copy() fills some of that; the
// latter two in a `Queue` where things happen one after another.

#include "studies/pes/pe_view.hpp"

namespace trisweep::studies {

// What other PEs contribute, in memory that is managed, hence common to all.
template <Scalar T, class Memory>
class ManagedSums {
 public:
  using Number = device::NumberOf<T>;

  // `counted`: who has a page, for PEs that have no pages that move.
  ManagedSums(const PePrograms<T>& programs, bool counted) : foreign_(programs.foreign) {
    if (programs.exchange != Exchange::unified) return;
    sums_ = {memory_.template zeros<Number>(foreign_.size()),
             memory_.template zeros<Degree>(foreign_.size())};
    if (counted) page_ = memory_.template zeros<Index>(foreign_.size() / components_of_page<Number> + 1);
  }

  const Sums<Number>& sums() const { return sums_; }
  Index* page() const { return page_; }
  void reset(typename Memory::Queue queue) {
    memory_.clear(queue);
    if (sums_.missing != nullptr) memory_.copy(sums_.missing, foreign_.data(), foreign_.size(), queue);
  }

 private:
  const std::vector<Degree>& foreign_;
  Memory memory_;
  Sums<Number> sums_{};
  Index* page_ = nullptr;
};

template <Scalar T, class Memory>
class PeMemory {
 public:
  using Number = device::NumberOf<T>;

  // The programs outlive it.
  PeMemory(const PePrograms<T>& programs, Index pe)
      : rows_(programs.owner.size()),
        missing_(memory_.place(programs.pe[usize(pe)].missing)),
        heap_{.control = memory_.template zeros<PeControl>(1),
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
      heap_.arrived = memory_.template zeros<Number>(slots);
      heap_.signal = memory_.template zeros<Degree>(slots);
    }
  }

  template <class Managed>
  PeHeap<Number> heap(const ManagedSums<T, Managed>& managed) const {
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

  void reset(typename Memory::Queue queue) {
    memory_.clear(queue);
    memory_.copy(heap_.own.missing, missing_, rows_, queue);
    if (foreign_ != nullptr) memory_.copy(heap_.shared.missing, foreign_, rows_, queue);
  }

 private:
  Sums<Number> sums() {
    return {memory_.template zeros<Number>(rows_), memory_.template zeros<Degree>(rows_)};
  }

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

  Memory memory_;
  std::size_t rows_;
  const Degree *missing_, *foreign_ = nullptr;
  PeHeap<Number> heap_;
  PeView<Number> view_;
};

}  // namespace trisweep::studies
