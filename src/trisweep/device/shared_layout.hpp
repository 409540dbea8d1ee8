#pragma once
#include "trisweep/device/make_program.hpp"
#include "trisweep/device/peers.hpp"

namespace trisweep::device {

// Layout of the memory of a PE that others write to: control words, times, signals, work rows.
struct SharedLayout {
  Index times = 0;  // next to the control words, so that the host copies both at once
  Index signals = 0;
  Index rows = 0;

  static std::size_t in_lines(Index counts) {
    return (usize(counts) * sizeof(Count) + cache_line - 1) / cache_line * cache_line;
  }
  std::size_t signals_at() const { return sizeof(Control) + in_lines(times); }
  std::size_t rows_at() const { return signals_at() + in_lines(signals); }
  template <Scalar T>
  std::size_t bytes(Index nrhs) const {
    return rows_at() + usize(rows) * usize(nrhs) * sizeof(T);
  }
  template <Scalar T>
  PeMemory<NumberOf<T>> at(std::byte* memory, Index number = 0) const {
    return {.row = reinterpret_cast<NumberOf<T>*>(memory + rows_at()),
            .signal = reinterpret_cast<Count*>(memory + signals_at()),
            .control = reinterpret_cast<Control*>(memory),
            .number = number};
  }
};
inline SharedLayout shared_layout(const Program& program, Index pes) {
  return {static_cast<Index>(program.part.size()) + 1, program.signals(pes), program.rows};
}

}  // namespace trisweep::device
