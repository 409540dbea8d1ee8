#pragma once
// All data of one PE in its device's memory.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "trisweep/backend/memory.hpp"
#include "trisweep/device/pe.hpp"
#include "trisweep/device/products_in_tiles.hpp"
#include "trisweep/device/shared_layout.hpp"

namespace trisweep::device {

// Data of one PE in host memory: scaling factors of its rows of b and of x (empty: 1), and the system by
// which a program measures residuals. Must outlive the PE of an emulated device.
template <Scalar T>
struct PeData {
  std::span<const RealOf<T>> b_scale{};
  std::span<const RealOf<T>> x_scale{};
  ResidualSystem<T> measuring{};
};

// The caller's rows of b and x on one PE, in host memory or in its device's; `base`: see CallersRows, in the
// device's memory.
template <Scalar T>
struct PeVectors {
  Vectors<const T> b{};
  Vectors<T> x{};
  bool scaled = true;
  Vectors<const T> base{};
};

// Panels of one side as kernels access them; on an emulated device they stay in the host's memory.
class SideMemory {
 public:
  template <class S>
  const NumberOf<S>* put(Device device, std::span<const S> side) {
    memory_.clear();
    memory_.emplace_back(device, std::as_bytes(side));
    return reinterpret_cast<const NumberOf<S>*>(memory_.back().data());
  }
  NoPanels put(Device /*device*/, NoPanels side) { return side; }
  // Copies whole memory blocks, in which pieces have the same offsets as in host memory.
  template <class S>
  Pieces<NumberOf<S>> put(Device device, const PieceSpan<S>& side) {
    if (!is_gpu(device)) return in_kernels(side);
    memory_.clear();
    std::map<const std::byte*, const std::byte*> there;  // device address, by host address
    for (const Buffer<std::byte>& part : side.memory) {
      memory_.emplace_back(device, part.span());
      there[part.data()] = memory_.back().data();
    }
    std::vector<Piece> pieces(side.piece.begin(), side.piece.end());
    for (Piece& piece : pieces) {
      const auto [here, part] = *std::prev(there.upper_bound(piece.first));
      piece.first = part + (piece.first - here);
    }
    piece_ = {device, std::span(std::as_const(pieces))};
    return {piece_.data()};
  }

 private:
  std::deque<DeviceArray<const std::byte>> memory_;
  DeviceArray<const Piece> piece_;
};

template <Scalar T>
class LocalPe {
 public:
  using Number = NumberOf<T>;

  // On the current device of a kind, for solves with at most `nrhs` right-hand sides. `shared`: zeroed memory
  // for the layout, aligned to a cache line, which other PEs can access, in `heap` if there is one; null:
  // allocated here. These and the program must outlive this object. Throws Error(environment).
  LocalPe(Device device, const Program& program, Index pes, Index nrhs, const PeData<T>& data = {},
          std::byte* shared = nullptr, const backend::SymmetricHeap* heap = nullptr)
      : device_(device),
        program_(&program),
        nrhs_(nrhs),
        heap_(heap),
        program_view_(
            view_of(program,
                    [this]<class A>(const std::vector<A>& list) {
                      return ArrayView<A>{this->place(std::span(list)), static_cast<Index>(list.size())};
                    })),
        own_shared_(device, shared == nullptr ? shared_layout(program, pes).template bytes<T>(nrhs) : 0,
                    pes > 1 ? backend::MemoryUse::reached : backend::MemoryUse::own),
        shared_(shared_layout(program, pes).template at<T>(shared == nullptr ? own_shared_.data() : shared)),
        counter_(device, usize(program.counters)),
        b_scale_(device, data.b_scale),
        x_scale_(device, data.x_scale),
        measured_(device::measured(data.measuring, [this](auto values) { return this->place(values); })),
        copies_(device, callers_rows_of(program), nrhs),
        record_(device,
                (sizeof(Control) - offsetof(Control, failed)) / sizeof(Count) + program.part.size() + 1,
                backend::MemoryUse::pinned),
        norms_(device, program.verdict == none ? 0 : usize(Norm::count) * usize(nrhs),
               backend::MemoryUse::pinned) {}

  const Program& program() const { return *program_; }
  const PeMemory<Number>& shared() const { return shared_; }
  T* rows() const { return reinterpret_cast<T*>(shared_.row); }

  // The PE as kernels see it, with these panels placed in its device's memory, for at most `workers` workers.
  template <class Side, class Peers>
  Pe<InKernels<Side>, Number, Peers> view(const PanelsBySide<Side>& panels, const Peers& peers, int workers) {
    const std::size_t scratch = scratch_size(*program_, rows_for_tiles(*program_, panels), nrhs_);
    if (scratch_.size() != scratch * usize(workers)) {
      source_ = {};
      scratch_ = {device_, scratch * usize(workers)};
      if (heap_ != nullptr && scratch_.size() > 0)
        source_ = heap_->make_source(scratch_.data(), scratch_.size() * sizeof(T));
    }
    return {.program = program_view_,
            .panels = {side_[0].put(device_, panels[0]), side_[1].put(device_, panels[1]),
                       side_[2].put(device_, panels[2])},
            .peers = peers,
            .messages = program_->messages(),
            .counter = counter_.data(),
            .time = shared_.control->times(),
            .phases = static_cast<Index>(program_->part.size()),
            .work = {.row = shared_.row,
                     .position = program_view_.position.data,
                     .scratch = reinterpret_cast<Number*>(scratch_.data()),
                     .nrhs = nrhs_},
            .scratch_size = scratch,
            .measured = measured_,
            .solve = {}};
  }

  CallersRows<Number> bring_in(const PeVectors<T>& v, void* stream) const {
    const auto [b, x] = copies_.bring_in(v.b, v.x, stream);
    return callers_rows<T>(b, v.scaled ? b_scale_.data() : nullptr, x, v.scaled ? x_scale_.data() : nullptr,
                           v.base);
  }
  void bring_out(const PeVectors<T>& v, void* stream) const { copies_.bring_out(v.x, stream); }
  void hand_out(const PeVectors<T>& v) const { copies_.hand_out(v.x); }

  // Enqueues the copy of the results that failed(), stalled(), times() and norms() report, for a solve with
  // `nrhs` right-hand sides; they are valid once the stream has completed it.
  void record(Index nrhs, void* stream) const {
    const auto copy = [&](void* to, const void* from, std::size_t bytes) {
      backend::runtime(device_).copy(to, bytes, from, bytes, bytes, 1, stream);
    };
    copy(record_.data(), &shared_.control->failed, record_.size() * sizeof(Count));
    if (norms_.size() > 0)
      copy(norms_.data(), rows() + usize(program_->verdict) * usize(nrhs),
           usize(Norm::count) * usize(nrhs) * sizeof(T));
  }
  bool failed() const { return record_.data()[0] != 0; }
  // Description of what a worker has waited for too long.
  std::optional<std::string> stalled() const {
    const Count item = record_.data()[1];
    if (item == 0) return std::nullopt;
    return describe_waiting(*program_, static_cast<Index>(item - 1));
  }
  // See Control::times().
  std::span<const Count> times() const {
    const std::size_t size = program_->part.size() + 1;
    return {record_.data() + record_.size() - size, size};
  }
  // For a program that measures residuals: Norm::count rows with one value per right-hand side.
  std::span<const T> norms() const { return {norms_.data(), norms_.size()}; }

 private:
  // Number of rows of the caller's b and x.
  static Index callers_rows_of(const Program& program) {
    Index rows = 0;
    for (const MovedRow& row : program.moved) rows = std::max(rows, row.caller + 1);
    return rows;
  }
  template <class A>
  const A* place(std::span<const A> values) {
    return reinterpret_cast<const A*>(placed_.emplace_back(device_, std::as_bytes(values)).data());
  }

  Device device_;
  const Program* program_;
  Index nrhs_;
  const backend::SymmetricHeap* heap_;
  std::deque<DeviceArray<const std::byte>> placed_;
  ProgramView program_view_;
  DeviceArray<std::byte> own_shared_;
  PeMemory<Number> shared_;
  DeviceArray<Count> counter_;
  DeviceArray<const RealOf<T>> b_scale_, x_scale_;
  ResidualView<Number> measured_;
  backend::VectorCopies<T> copies_;
  DeviceArray<Count> record_;  // copy of the control words from `failed` on, and of the times
  DeviceArray<T> norms_;
  std::array<SideMemory, distribution::sides.size()> side_;
  DeviceArray<T> scratch_;
  std::shared_ptr<void> source_;  // while puts to other nodes read from the scratch
};

}  // namespace trisweep::device
