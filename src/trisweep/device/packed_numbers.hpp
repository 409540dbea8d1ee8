#pragma once
// The numbers of packed panels (compression/number_format.hpp) in kernels, where each thread reads its own.

#include "trisweep/compression/number_format.hpp"
#include "trisweep/device/number.hpp"

namespace trisweep::device {

// Number i of a group, whose bytes may begin anywhere.
template <class R>
TRISWEEP_DEVICE inline R number_of(const std::byte* group, compression::Bits bits, std::size_t i) {
  if (bits == compression::whole) {
    R number;
    __builtin_memcpy(&number, group + i * sizeof(R), sizeof number);
    return number;
  }
  const std::size_t bit = i * bits;
  std::uint64_t bytes;
  __builtin_memcpy(&bytes, group + bit / 8, sizeof bytes);
  return static_cast<R>(static_cast<std::int64_t>(bytes << (64 - bits - bit % 8)) >> (64 - bits));
}

// The same as a number of T: complex ones are two real ones.
template <class T>
struct EntryOf {
  static constexpr std::size_t parts = 1;
  TRISWEEP_DEVICE static T at(const std::byte* group, compression::Bits bits, std::size_t i) {
    return number_of<T>(group, bits, i);
  }
};
template <class R>
struct EntryOf<Complex<R>> {
  static constexpr std::size_t parts = 2;
  TRISWEEP_DEVICE static Complex<R> at(const std::byte* group, compression::Bits bits, std::size_t i) {
    return {number_of<R>(group, bits, i), number_of<R>(group, bits, i + 1)};
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

TRISWEEP_DEVICE inline const compression::PanelHead& head_of(const std::byte* panel) {
  return *reinterpret_cast<const compression::PanelHead*>(panel);
}

// Columns [column, column + cols) of a panel of T.
template <class T>
struct PackedStrip {
  using R = RealPart<T>;

  const compression::PanelHead* head;
  Index column;
  Index cols;
  const std::byte* own;  // bits and steps of columns, if they have their own
  const std::byte* numbers;
  std::size_t group_bytes;  // of a group of every column

  TRISWEEP_DEVICE std::size_t height() const { return usize(head->rows) * EntryOf<T>::parts; }
  TRISWEEP_DEVICE compression::Bits bits_of(Index c) const {
    return head->own ? static_cast<compression::Bits>(own[c]) : head->bits;
  }
  TRISWEEP_DEVICE R step_of(Index c) const {
    if (!head->own) return static_cast<R>(head->unit);
    if (bits_of(c) == compression::whole) return R(1);
    compression::Multiple multiple;
    __builtin_memcpy(&multiple, own + cols + usize(c) * sizeof multiple, sizeof multiple);
    const std::uint32_t word = std::uint32_t{multiple} << 16;
    float value;
    __builtin_memcpy(&value, &word, sizeof value);
    return static_cast<R>(head->unit * static_cast<double>(value));
  }
};

// A column of a strip, and the bytes of one group of those before it: of a full one, and of their last.
template <class T>
struct PackedColumn {
  const PackedStrip<T>& strip;
  Index c = 0;
  std::size_t before = 0, before_at_end = 0;

  TRISWEEP_DEVICE void next() {
    using R = RealPart<T>;
    const compression::Bits bits = strip.bits_of(c++);
    before += compression::bytes_of_group<R>(bits);
    before_at_end += compression::bytes_of_group<R>(bits, compression::numbers_at_end(strip.height()));
  }
  TRISWEEP_DEVICE T at(Index row) const {
    const std::size_t i = usize(row) * EntryOf<T>::parts, in_slab = i % compression::slab_reals;
    const std::size_t slab = i - in_slab, left = strip.height() - slab;
    const bool full = left >= compression::slab_reals;
    const std::size_t groups = compression::groups_of(full ? compression::slab_reals : left);
    const compression::Bits bits = strip.bits_of(c);
    const std::byte* const group =
        strip.numbers + slab / compression::group * strip.group_bytes + (groups - 1) * before +
        (full ? before : before_at_end) +
        in_slab / compression::group * compression::bytes_of_group<RealPart<T>>(bits);
    return EntryOf<T>::at(group, bits, in_slab % compression::group);
  }
};

// Calls visit(strip) for all columns of a panel of T.
template <class T, class Visit>
TRISWEEP_DEVICE inline void for_each_strip(const std::byte* panel, const Visit& visit) {
  const compression::PanelHead& head = head_of(panel);
  const std::byte* at = panel + sizeof head;
  for (Index column = 0; column < head.cols; column += compression::strip_cols) {
    const Index left = head.cols - column;
    PackedStrip<T> strip{&head, column, left < compression::strip_cols ? left : compression::strip_cols,
                         at,    at,     0};
    if (head.own) strip.numbers += usize(strip.cols) * (1 + sizeof(compression::Multiple));
    PackedColumn<T> end{strip};
    while (end.c < strip.cols) end.next();
    strip.group_bytes = end.before;
    visit(strip);
    at = strip.numbers + (compression::groups_of(strip.height()) - 1) * end.before + end.before_at_end;
  }
}

}  // namespace trisweep::device
