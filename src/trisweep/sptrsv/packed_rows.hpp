#pragma once
// The rows of a thread, stored contiguously in the order in which they are solved, on huge pages.

#include "trisweep/core/buffer.hpp"
#include "trisweep/sptrsv/lower_system.hpp"
#include "trisweep/sptrsv/row_schedule.hpp"
#include "trisweep/sptrsv/solve_rows.hpp"

namespace trisweep::sptrsv {

// True if diagonals can be inverted, since multiplication is much faster than division: no inverse may
// underflow or overflow. All threads do the same, so that results are bitwise independent of the assignment.
template <Scalar T>
bool has_inverses(const LowerSystem<T>& system);

template <Scalar T>
class PackedRows {
 public:
  PackedRows() = default;
  PackedRows(const LowerSystem<T>& system, const ThreadSchedule& schedule, bool inverted);

  RowRange<T> block(const ThreadSchedule& schedule, std::size_t b) const {
    const Index begin = b == 0 ? 0 : schedule.block[b - 1].row_end;
    return {.row = row_.data() + begin,
            .col = col_.data() + first_[b],
            .value = value_.data() + first_[b],
            .diagonal = diagonal_.size() == 0 ? nullptr : diagonal_.data() + begin,
            .inverted = inverted_,
            .rows = schedule.block[b].row_end - begin};
  }

 private:
  std::vector<Offset> first_;  // first entry, by block
  Buffer<PackedRow> row_;
  Buffer<Index> col_;
  Buffer<T> value_;
  Buffer<T> diagonal_;
  bool inverted_ = false;  // `diagonal_` holds the inverses
};

}  // namespace trisweep::sptrsv
