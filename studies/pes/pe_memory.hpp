#pragma once
// All data of a PE in the memory of its device.

#include <algorithm>
#include <deque>

#include "studies/pes/pe_view.hpp"
#include "trisweep/backend/memory.hpp"

namespace trisweep::studies {

// Lists that kernels only read, on a device.
class PlacedLists {
 public:
  explicit PlacedLists(backend::Device device) : device_(device) {}

  template <class A>
  const A* place(const std::vector<A>& list) {
    return reinterpret_cast<const A*>(placed_.emplace_back(device_, std::as_bytes(std::span(list))).data());
  }

 private:
  backend::Device device_;
  std::deque<backend::DeviceArray<const std::byte>> placed_;
};

// Layout of the part of a PE's memory that other PEs access; all processes compute the same one.
template <Scalar T>
class HeapLayout {
 public:
  using Number = backend::NumberOf<T>;

  HeapLayout(const PePrograms<T>& programs, Index pe)
      : rows_(programs.owner.size()),
        foreign_(programs.exchange == Exchange::get_update_put ? rows_ : 0),
        slots_(programs.exchange == Exchange::push ? usize(programs.pe[usize(pe)].arrival.back()) : 0) {}

  std::size_t bytes() const {
    Places places{nullptr};
    static_cast<void>(taken_from(places));
    return places.end;
  }
  // `memory`: of bytes() bytes, zero before each solve.
  PeHeap<Number> at(std::byte* memory) const {
    Places places{memory};
    return taken_from(places);
  }

 private:
  // One array after the other.
  struct Places {
    std::byte* memory;  // null: only computes the size
    std::size_t end = 0;

    template <class A>
    A* take(std::size_t count) {
      constexpr std::size_t alignment = 256;
      const std::size_t begin = end;
      end += (count * sizeof(A) + alignment - 1) / alignment * alignment;
      return memory == nullptr || count == 0 ? nullptr : reinterpret_cast<A*>(memory + begin);
    }
  };

  PeHeap<Number> taken_from(Places& places) const {
    PeHeap<Number> heap{};
    heap.control = places.template take<PeControl>(1);
    heap.own = {places.template take<Number>(rows_), places.template take<Degree>(rows_)};
    heap.shared = {places.template take<Number>(foreign_), places.template take<Degree>(foreign_)};
    heap.arrived = places.template take<Number>(slots_);
    heap.signal = places.template take<Degree>(slots_);
    return heap;
  }

  std::size_t rows_, foreign_, slots_;
};

// Contributions of other PEs, in managed memory, which is common to all PEs.
template <Scalar T>
class ManagedSums {
 public:
  using Number = backend::NumberOf<T>;

  // On the host, where pages do not migrate, the PE that has each page is recorded instead. The programs must
  // outlive this object.
  ManagedSums(backend::Device device, const PePrograms<T>& programs)
      : device_(device),
        foreign_(programs.foreign),
        sum_(device, is_unified(programs) ? foreign_.size() : 0, backend::MemoryUse::managed),
        missing_(device, sum_.size(), backend::MemoryUse::managed),
        page_(device,
              is_unified(programs) && !is_gpu(device) ? foreign_.size() / components_of_page<Number> + 1 : 0,
              backend::MemoryUse::managed) {}

  // Null if there are none.
  Sums<Number> sums() const { return {sum_.data(), missing_.data()}; }
  Index* page() const { return page_.data(); }
  void reset(void* stream) const {
    const backend::Runtime& runtime = backend::runtime(device_);
    if (sum_.size() == 0) return;
    runtime.clear(sum_.data(), sum_.size() * sizeof(Number), stream);
    if (page_.size() > 0) runtime.clear(page_.data(), page_.size() * sizeof(Index), stream);
    const std::size_t bytes = foreign_.size() * sizeof(Degree);
    runtime.copy(missing_.data(), bytes, foreign_.data(), bytes, bytes, 1, stream);
  }

 private:
  static bool is_unified(const PePrograms<T>& programs) { return programs.exchange == Exchange::unified; }

  backend::Device device_;
  const std::vector<Degree>& foreign_;
  backend::DeviceArray<Number> sum_;
  backend::DeviceArray<Degree> missing_;
  backend::DeviceArray<Index> page_;
};

template <Scalar T>
class PeMemory {
 public:
  using Number = backend::NumberOf<T>;

  // On the current device of a kind. `shared`: memory for its HeapLayout that other processes access as well;
  // it and the programs must outlive this object; null: allocated here.
  PeMemory(backend::Device device, const PePrograms<T>& programs, Index pe, std::byte* shared = nullptr)
      : device_(device),
        layout_(programs, pe),
        own_(device, shared == nullptr ? layout_.bytes() : 0, backend::MemoryUse::reached),
        memory_(shared == nullptr ? own_.data() : shared),
        lists_(device),
        rows_(programs.owner.size()),
        missing_(lists_.place(programs.pe[usize(pe)].missing)),
        foreign_(programs.exchange == Exchange::get_update_put ? lists_.place(programs.foreign) : nullptr),
        view_(view_of(programs, pe)) {}

  // Addresses as PEs of this process access them.
  PeHeap<Number> heap() const { return layout_.at(memory_); }
  // `heap`: of all PEs, by PE; `mine`: a copy of this PE's.
  PeView<Number> view(const PeHeap<Number>* heap, const PeHeap<Number>& mine) const {
    PeView<Number> view = view_;
    view.heap = heap;
    view.mine = mine;
    return view;
  }
  const PeControl* control() const { return heap().control; }

  void reset(void* stream) const {
    const backend::Runtime& runtime = backend::runtime(device_);
    const PeHeap<Number> heap = this->heap();
    const auto copy = [&](Degree* to, const Degree* from) {
      const std::size_t bytes = rows_ * sizeof(Degree);
      runtime.copy(to, bytes, from, bytes, bytes, 1, stream);
    };
    runtime.clear(memory_, layout_.bytes(), stream);
    copy(heap.own.missing, missing_);
    if (foreign_ != nullptr) copy(heap.shared.missing, foreign_);
  }

 private:
  PeView<Number> view_of(const PePrograms<T>& programs, Index me) {
    const PeProgram<T>& program = programs.pe[usize(me)];
    const auto numbers = [this](const std::vector<T>& list) {
      return list.empty() ? nullptr : reinterpret_cast<const Number*>(lists_.place(list));
    };
    return {.me = me,
            .pes = static_cast<Index>(programs.pe.size()),
            .components = static_cast<Index>(program.component.size()),
            .mine = {},
            .heap = nullptr,
            .owner = lists_.place(programs.owner),
            .component = lists_.place(program.component),
            .number = lists_.place(program.number),
            .diagonal = numbers(program.diagonal),
            .begin = lists_.place(program.begin),
            .arrival = lists_.place(program.arrival),
            .user = lists_.place(program.user),
            .value = numbers(program.value),
            .slot = lists_.place(program.slot)};
  }

  backend::Device device_;
  HeapLayout<T> layout_;
  backend::DeviceArray<std::byte> own_;
  std::byte* memory_;
  PlacedLists lists_;
  std::size_t rows_;
  const Degree *missing_, *foreign_;
  PeView<Number> view_;
};

// Adds the managed memory to a heap.
template <class Number, Scalar T>
PeHeap<Number> with_managed(PeHeap<Number> heap, const ManagedSums<T>& managed) {
  if (managed.sums().sum != nullptr) heap.shared = managed.sums();
  heap.page = managed.page();
  return heap;
}

}  // namespace trisweep::studies
