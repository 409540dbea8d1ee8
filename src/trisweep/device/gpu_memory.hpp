#pragma once
// All that one PE has in its device's memory.

#include <algorithm>
#include <deque>
#include <map>

#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/gpu_vectors.hpp"
#include "trisweep/device/pe.hpp"
#include "trisweep/device/products_in_tiles.hpp"
#include "trisweep/device/shared_layout.hpp"

namespace trisweep::device {

// A program's arrays on the device.
class ProgramMemory {
 public:
  explicit ProgramMemory(const Program& program)
      : view_(view_of(program, [&]<class A>(const std::vector<A>& list) {
          arrays_.emplace_back(std::as_bytes(std::span(list)));
          return ArrayView<A>{reinterpret_cast<const A*>(arrays_.back().data()),
                              static_cast<Index>(list.size())};
        })) {}
  const ProgramView& view() const { return view_; }

 private:
  std::deque<DeviceArray<std::byte>> arrays_;
  ProgramView view_;
};

// How many rows of b and x its caller has.
inline Index callers_rows_of(const Program& program) {
  Index rows = 0;
  for (const MovedRow& row : program.moved) rows = std::max(rows, row.caller + 1);
  return rows;
}

// Panels of a side on the device.
class SideMemory {
 public:
  template <class S>
  const NumberOf<S>* put(std::span<const S> side) {
    memory_.emplace_back(std::as_bytes(side));
    return reinterpret_cast<const NumberOf<S>*>(memory_.back().data());
  }
  // Pieces lie there as in the memory of the host.
  template <class S>
  Pieces<NumberOf<S>> put(const PieceSpan<S>& side) {
    std::map<const std::byte*, const std::byte*> there;  // where parts begin, by where they do so here
    for (const Buffer<std::byte>& part : side.memory) {
      memory_.emplace_back(part.span());
      there[part.data()] = memory_.back().data();
    }
    std::vector<Piece> pieces(side.piece.begin(), side.piece.end());
    for (Piece& piece : pieces) {
      const auto [here, part] = *std::prev(there.upper_bound(piece.first));
      piece.first = part + (piece.first - here);
    }
    piece_ = DeviceArray<Piece>(std::span<const Piece>(pieces));
    return {piece_.data()};
  }

 private:
  std::deque<DeviceArray<std::byte>> memory_;
  DeviceArray<Piece> piece_;
};

template <Scalar T>
class GpuPeMemory {
 public:
  using Number = NumberOf<T>;

  // On the current device. `shared`: memory that other PEs reach; null: has it of its own.
  GpuPeMemory(const Program& program, Index pes, Index nrhs, const PeData<T>& data,
              std::byte* shared = nullptr)
      : program_(&program),
        nrhs_(nrhs),
        arrays_(program),
        own_shared_(shared == nullptr ? layout(pes).template bytes<T>(nrhs) : 0),
        shared_(layout(pes).template at<T>(shared == nullptr ? own_shared_.data() : shared)),
        counter_(usize(program.counters)),
        time_(program.part.size() + 1),
        b_scale_(data.b_scale),
        x_scale_(data.x_scale),
        measured_(device::measured(data.measuring,
                                   [this]<class A>(std::span<const A> numbers) {
                                     measuring_.emplace_back(std::as_bytes(numbers));
                                     return reinterpret_cast<const A*>(measuring_.back().data());
                                   })),
        copies_(callers_rows_of(program), nrhs) {}

  const PeMemory<Number>& shared() const { return shared_; }
  const Count* times() const { return time_.data(); }

  // What the kernel has of it, with panels that are put there.
  template <class Side, class Peers>
  Pe<InKernels<Side>, Number, Peers> view(const PanelsBySide<Side>& panels, const Peers& peers, int workers) {
    const std::size_t scratch = scratch_size(*program_, rows_for_tiles(*program_, panels), nrhs_);
    scratch_ = DeviceArray<T>(scratch * usize(workers));
    return {.program = arrays_.view(),
            .panels = {side_[0].put(panels[0]), side_[1].put(panels[1]), side_[2].put(panels[2])},
            .peers = peers,
            .messages = program_->messages(),
            .workers = workers,
            .counter = counter_.data(),
            .time = time_.data(),
            .phases = static_cast<Index>(program_->part.size()),
            .scratch = reinterpret_cast<Number*>(scratch_.data()),
            .scratch_size = scratch,
            .measured = measured_,
            .solve = {}};
  }

  CallersRows<Number> bring_in(const PeVectors<T>& v, Stream stream) const {
    const auto [b, x] = copies_.bring_in(v.b, v.x, stream);
    return callers_rows<T>(b, v.scaled ? b_scale_.data() : nullptr, x, v.scaled ? x_scale_.data() : nullptr,
                           v.base);
  }
  void bring_out(const PeVectors<T>& v, Stream stream) const { copies_.bring_out(v.x, stream); }

 private:
  SharedLayout layout(Index pes) const { return shared_layout(*program_, pes); }

  const Program* program_;
  Index nrhs_;
  ProgramMemory arrays_;
  DeviceArray<std::byte> own_shared_;
  PeMemory<Number> shared_;
  DeviceArray<Count> counter_;
  DeviceArray<Count> time_;
  DeviceArray<RealOf<T>> b_scale_, x_scale_;
  std::deque<DeviceArray<std::byte>> measuring_;
  ResidualView<Number> measured_;
  VectorCopies<T> copies_;
  std::array<SideMemory, distribution::sides.size()> side_;
  DeviceArray<T> scratch_;
};

// Throws Error(environment) that says what a PE waited for when that took too long.
template <Scalar T>
void check_ended(const Program& program, const GpuPeMemory<T>& memory, Stream stream) {
  Control control;
  copy(&control, memory.shared().control, 1, stream);
  if (control.stalled > 0)
    throw Error(
        ErrorKind::environment,
        "no progress on the device: " + describe_waiting(program, static_cast<Index>(control.stalled - 1)));
}

}  // namespace trisweep::device
