#pragma once
// Reading the values of packed panels (lowrank/number_format.hpp) in kernels, where each thread reads its
// own.

#include <algorithm>
#include <bit>
#include <type_traits>

#include "trisweep/backend/number.hpp"
#include "trisweep/lowrank/number_format.hpp"

namespace trisweep::device {

using namespace backend;

// Returns `count` bits from bit `first` (of 8) of a byte on, with arbitrary bits above them. Memory is read
// in whole words, as GPUs do, and only in words that contain these bits.
TRISWEEP_DEVICE inline std::uint64_t bits_at(const std::byte* at, std::uint32_t first, std::uint32_t count) {
  const auto place = reinterpret_cast<std::uintptr_t>(at);
  const auto* const word = reinterpret_cast<const std::uint64_t*>(place - place % sizeof(std::uint64_t));
  const std::uint32_t skipped = static_cast<std::uint32_t>(place % sizeof(std::uint64_t)) * 8 + first;
  return skipped + count <= 64 ? word[0] >> skipped : word[0] >> skipped | word[1] << (64 - skipped);
}

// A column of a panel of T; a complex number is two real ones. Offsets and counts below 2^32 take one
// register: bytes of a slab of a row block, and slabs.
template <class T>
class PackedColumn {
  using R = RealPart<T>;
  static constexpr auto slab_reals = std::uint32_t{lowrank::slab_reals};

 public:
  static constexpr std::uint32_t parts = sizeof(T) / sizeof(R);
  // A column of a row block whose values begin at `numbers` and whose full slabs have `slab_bytes` bytes; the
  // column begins `in_slab_` bytes after the beginning of a slab, or `in_last_` bytes in the last slab, which
  // is not full.
  TRISWEEP_DEVICE PackedColumn(const std::byte* numbers, std::uint32_t slab_bytes, std::uint32_t full_slabs)
      : numbers_(numbers), slab_bytes_(slab_bytes), full_slabs_(full_slabs) {}

  TRISWEEP_DEVICE void begin(lowrank::Bits bits, double step) {
    bits_ = bits_of(bits);
    is_whole_ = bits == lowrank::whole;
    step_ = static_cast<R>(is_whole_ ? 1 : step);
  }
  // Advances to the next column; the last slab has `rest` numbers.
  TRISWEEP_DEVICE void end(std::uint32_t rest) {
    in_slab_ += slab_reals / 8 * bits_;
    in_last_ += (rest * bits_ + 7) / 8;
  }
  TRISWEEP_DEVICE const std::byte* end_of_row_block() const {
    return numbers_ + std::size_t{full_slabs_} * slab_bytes_ + in_last_;
  }

  TRISWEEP_DEVICE R step() const { return step_; }
  // The value in row i, in units of step().
  TRISWEEP_DEVICE T operator()(Index i) const {
    if constexpr (parts == 2) {
      return {real(2 * static_cast<std::uint32_t>(i)), real(2 * static_cast<std::uint32_t>(i) + 1)};
    } else {
      return real(static_cast<std::uint32_t>(i));
    }
  }

  static TRISWEEP_DEVICE std::uint32_t bits_of(lowrank::Bits bits) {
    return bits == lowrank::whole ? 8 * sizeof(R) : bits;
  }

 private:
  TRISWEEP_DEVICE R real(std::uint32_t i) const {
    const std::uint32_t slab = i / slab_reals, bit = i % slab_reals * bits_;
    const std::uint32_t column = slab < full_slabs_ ? in_slab_ : in_last_;
    const std::byte* const at = numbers_ + std::size_t{slab} * slab_bytes_ + (column + bit / 8);
    const std::uint64_t found = bits_at(at, bit % 8, bits_);
    if (is_whole_) {
      using Word = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
      return std::bit_cast<R>(static_cast<Word>(found));
    }
    const std::uint64_t left = found << (64 - bits_);
    return static_cast<R>(static_cast<std::int64_t>(left) >> (64 - bits_));
  }

  const std::byte* numbers_;
  std::uint32_t slab_bytes_, full_slabs_;
  std::uint32_t in_slab_ = 0, in_last_ = 0;
  std::uint32_t bits_ = 0;
  bool is_whole_ = false;
  R step_ = 1;
};

TRISWEEP_DEVICE inline const lowrank::PanelHead& head_of(const std::byte* panel) {
  return *reinterpret_cast<const lowrank::PanelHead*>(panel);
}

// Calls visit(j, column) for every column j of a panel of T.
template <class T, class Visit>
TRISWEEP_DEVICE inline void for_each_column(const std::byte* panel, const Visit& visit) {
  using Column = PackedColumn<T>;
  const lowrank::PanelHead& head = head_of(panel);
  const std::uint32_t reals = static_cast<std::uint32_t>(head.rows) * Column::parts;
  const std::uint32_t full_slabs = reals / lowrank::slab_reals, rest = reals % lowrank::slab_reals;
  const std::byte* at = panel + sizeof head;
  for (Index first = 0; first < head.cols; first += lowrank::packed_block_cols) {
    const Index left = head.cols - first;
    const Index cols = left < lowrank::packed_block_cols ? left : lowrank::packed_block_cols;
    const auto* const bits = reinterpret_cast<const lowrank::Bits*>(at);
    const auto* const multiple = reinterpret_cast<const std::uint8_t*>(at + cols);
    const auto bits_of = [&](Index c) { return head.own ? bits[c] : head.bits; };
    std::uint32_t bits_of_row = 0;
    for (Index c = 0; c < cols; ++c) bits_of_row += Column::bits_of(bits_of(c));
    if (head.own) at += usize(cols) * (sizeof(lowrank::Bits) + sizeof(lowrank::Multiple));
    Column column(at, lowrank::slab_reals / 8 * bits_of_row, full_slabs);
    for (Index c = 0; c < cols; ++c) {
      double step = head.unit;
      if (head.own)
        step *= lowrank::value_of(static_cast<lowrank::Multiple>(multiple[2 * c] | multiple[2 * c + 1] << 8));
      column.begin(bits_of(c), step);
      visit(first + c, column);
      column.end(rest);
    }
    at = column.end_of_row_block();
  }
}

}  // namespace trisweep::device
