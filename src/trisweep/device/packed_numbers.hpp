#pragma once
// The numbers of packed panels (compression/number_format.hpp) in kernels, where each thread reads its own.

#include "trisweep/compression/number_format.hpp"
#include "trisweep/device/number.hpp"

namespace trisweep::device {

template <class R, class Number>
struct OnePlane {
  const Number* number;
  TRISWEEP_DEVICE R operator()(std::size_t i) const { return static_cast<R>(number[i]); }
};
template <class R, class High, class Low>
struct TwoPlanes {
  const High* high;
  const Low* low;
  TRISWEEP_DEVICE R operator()(std::size_t i) const {
    return static_cast<R>(high[i]) * R(1 << (8 * sizeof(Low))) + static_cast<R>(low[i]);
  }
};

// Entry i of a run, a number of T: complex ones are two real ones.
template <class T>
struct EntryOf {
  static constexpr std::size_t parts = 1;
  template <class Numbers>
  TRISWEEP_DEVICE static T at(const Numbers& q, std::size_t i) {
    return q(i);
  }
};
template <class R>
struct EntryOf<Complex<R>> {
  static constexpr std::size_t parts = 2;
  template <class Numbers>
  TRISWEEP_DEVICE static Complex<R> at(const Numbers& q, std::size_t i) {
    return {q(2 * i), q(2 * i + 1)};
  }
};

template <class R>
TRISWEEP_DEVICE inline R times(R factor, R number) {
  return factor * number;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> times(R factor, Complex<R> number) {
  return {factor * number.re, factor * number.im};
}

// Columns [column, column + cols) of a panel, in one format.
template <class R>
struct PackedRun {
  Index column;
  Index cols;
  const float* step;  // null: `unit` alone
  double unit;

  TRISWEEP_DEVICE R step_of(Index c) const {
    return static_cast<R>(step == nullptr ? unit : unit * static_cast<double>(step[c]));
  }
};

TRISWEEP_DEVICE inline const compression::PanelHead& head_of(const std::byte* panel) {
  return *reinterpret_cast<const compression::PanelHead*>(panel);
}

// Calls visit(run, numbers) for every run of a panel of T, numbers(i) being its i-th real number.
template <class T, class Visit>
TRISWEEP_DEVICE inline void for_each_run(const std::byte* panel, const Visit& visit) {
  using R = RealPart<T>;
  using compression::NumberFormat;
  const compression::PanelHead& head = head_of(panel);
  const std::byte* at = panel + sizeof head;
  for (Index column = 0; column < head.cols;) {
    const auto& run = *reinterpret_cast<const compression::RunHead*>(at);
    const std::size_t reals = usize(head.rows) * usize(run.cols) * EntryOf<T>::parts;
    const compression::RunLayout layout = compression::layout_of<R>(run, reals);
    const PackedRun<R> columns{column, run.cols,
                               run.common_step ? nullptr : reinterpret_cast<const float*>(at + sizeof run),
                               run.format == NumberFormat::whole ? 1 : head.unit};
    const std::byte *const numbers = at + layout.numbers, *const low = at + layout.low;
    const auto one = [&]<class Number>(Number) {
      visit(columns, OnePlane<R, Number>{reinterpret_cast<const Number*>(numbers)});
    };
    const auto two = [&]<class High, class Low>(High, Low) {
      visit(columns, TwoPlanes<R, High, Low>{reinterpret_cast<const High*>(numbers),
                                             reinterpret_cast<const Low*>(low)});
    };
    switch (run.format) {
      case NumberFormat::fixed8:
        one(std::int8_t());
        break;
      case NumberFormat::fixed16:
        one(std::int16_t());
        break;
      case NumberFormat::fixed24:
        two(std::int16_t(), std::uint8_t());
        break;
      case NumberFormat::fixed32:
        one(std::int32_t());
        break;
      case NumberFormat::fixed48:
        two(std::int32_t(), std::uint16_t());
        break;
      case NumberFormat::whole:
        one(R());
        break;
    }
    column += run.cols;
    at += layout.end;
  }
}

}  // namespace trisweep::device
