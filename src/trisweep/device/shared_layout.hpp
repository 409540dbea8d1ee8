#pragma once
#include "trisweep/device/make_program.hpp"
#include "trisweep/device/peers.hpp"

namespace trisweep::device {

// The memory of a PE that others write to, as it lies there: control, signals, work rows.
struct SharedLayout {
  Index signals = 0;
  Index rows = 0;

  std::size_t rows_at() const {
    constexpr std::size_t line = 64;
    return sizeof(Control) + (usize(signals) * sizeof(Count) + line - 1) / line * line;
  }
  template <Scalar T>
  std::size_t bytes(Index nrhs) const {
    return rows_at() + usize(rows) * usize(nrhs) * sizeof(T);
  }
  template <Scalar T>
  PeMemory<NumberOf<T>> at(std::byte* memory) const {
    return {.row = reinterpret_cast<NumberOf<T>*>(memory + rows_at()),
            .signal = reinterpret_cast<Count*>(memory + sizeof(Control)),
            .control = reinterpret_cast<Control*>(memory)};
  }
};
inline SharedLayout shared_layout(const Program& program, Index pes) {
  return {program.signals(pes), program.rows};
}

}  // namespace trisweep::device
