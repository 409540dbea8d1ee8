#pragma once
// A warp that solves rows of a triangular system, and the kernel of such warps. Warps take rows by ticket, in
// an order in which every row follows its dependencies: so the first unsolved row can always be solved, and
// there is no deadlock, however few warps are resident.
//
// Rows of lanes of one warp may depend on each other (Su et al. 2020: CapelliniSpTRSV). So no lane waits in
// its own loop: each adds the products that are available, then all publish complete rows, and poll again.

#include "trisweep/backend/waiting.hpp"
#include "trisweep/device/pe.hpp"
#include "trisweep/sptrsv/device_plan.hpp"

namespace trisweep::sptrsv {

using backend::Count;

// Zero before the first solve.
struct RowControl {
  Count ticket = 0;
  Count stalled = 0;  // 1 + the caller's number of a row that waited longer than the watchdog allows
};

// Arrays in device memory, by position in the order.
template <class T>
struct RowsView {
  const Index* number;  // the caller's row number
  const Offset* begin;  // first entry; rows + 1 of them
  const Index* column;  // by entry: a position
  const T* value;       // by entry
  const T* diagonal;    // null: ones
  T* x;                 // row-major
  Count* solved;        // number of the last solve that has written x here
  RowControl* control;
};

// A launch of a solve with `nrhs` right-hand sides, no more than a warp has lanes.
template <class T>
struct RowTask {
  RowLaunch rows;
  int lanes;    // that share a row's entries
  int columns;  // a power of two >= nrhs
  Index nrhs;
  Count solve;         // its number, from 1
  Count first_ticket;  // of the launch
  Count watchdog;      // nanoseconds
  device::CallersRows<T> caller;

  TRISWEEP_DEVICE Index rows_at_a_time() const { return static_cast<Index>(slab_rows / (lanes * columns)); }
  TRISWEEP_DEVICE Count tickets() const {
    return usize((rows.end - rows.begin + rows_at_a_time() - 1) / rows_at_a_time());
  }
};

template <class T, class Warp>
class RowWarp {
 public:
  TRISWEEP_DEVICE RowWarp(const RowsView<T>& rows, const RowTask<T>& task, const Warp& warp)
      : rows_(rows), task_(task), warp_(warp) {}

  // Solves rows until none are left.
  TRISWEEP_DEVICE void run() const {
    backend::take_items(
        warp_,
        [&] { return backend::take_ticket(&rows_.control->ticket, task_.first_ticket, task_.tickets()); },
        [&](Count taken) { solve(task_.rows.begin + static_cast<Index>(taken) * task_.rows_at_a_time()); });
  }

 private:
  // A lane's part of a row: every `lanes`-th entry, for one right-hand side.
  struct Lane {
    Index row;  // past the last row: none
    int part;
    int column;
    bool ended;
    Offset entry, end;
  };
  template <class V>
  using Register = typename Warp::template Register<V>;

  TRISWEEP_DEVICE Lane begin(int lane, Index first) const {
    Lane mine{.row = first + lane / (task_.columns * task_.lanes),
              .part = lane / task_.columns % task_.lanes,
              .column = lane % task_.columns,
              .ended = false,
              .entry = 0,
              .end = 0};
    mine.ended = mine.row >= task_.rows.end;
    if (!mine.ended && mine.column < task_.nrhs) {
      mine.entry = rows_.begin[mine.row] + mine.part;
      mine.end = rows_.begin[mine.row + 1];
    }
    return mine;
  }
  TRISWEEP_DEVICE bool is_there(Index row) const {
    return !task_.rows.waits || backend::has_reached<backend::Scope::device>(&rows_.solved[row], task_.solve);
  }
  TRISWEEP_DEVICE T& x(Index row, int column) const {
    return rows_.x[usize(row) * usize(task_.columns) + usize(column)];
  }

  // Adds products until an unknown is not solved yet; returns true if products are left.
  TRISWEEP_DEVICE bool take(Lane& mine, T& sum) const {
    for (; mine.entry < mine.end; mine.entry += task_.lanes) {
      const Index needed = rows_.column[mine.entry];
      if (!is_there(needed)) return true;
      backend::add_product(sum, rows_.value[mine.entry], x(needed, mine.column), backend::RealPart<T>(1));
    }
    return false;
  }
  // For a complete row, the lane with its sum computes and writes its unknown.
  TRISWEEP_DEVICE void write(const Lane& mine, T sum) const {
    if (mine.ended || mine.part != 0 || mine.column >= task_.nrhs) return;
    const auto& caller = task_.caller;
    const Offset number = rows_.number[mine.row];
    T value = caller.b[number + mine.column * caller.b_ld];
    value -= sum;
    if (rows_.diagonal != nullptr) value = backend::quotient(value, rows_.diagonal[mine.row]);
    x(mine.row, mine.column) = value;
    caller.x[number + mine.column * caller.x_ld] = value;
  }
  TRISWEEP_DEVICE void publish(Lane& mine) const {
    if (!mine.ended && mine.part == 0 && mine.column == 0)
      backend::store_release<backend::Scope::device>(&rows_.solved[mine.row], task_.solve);
    mine.ended = true;
  }

  TRISWEEP_DEVICE void solve(Index first) const {
    Register<Lane> lane;
    Register<T> sum;
    backend::Waiting waiting(&rows_.control->ticket, task_.watchdog);
    warp_.each([&](int l) {
      lane[usize(l)] = begin(l, first);
      sum[usize(l)] = T{};
    });
    for (;;) {
      Register<int> missing, left;
      Register<T> whole;
      warp_.each([&](int l) {
        missing[usize(l)] = !lane[usize(l)].ended && take(lane[usize(l)], sum[usize(l)]) ? 1 : 0;
        whole[usize(l)] = sum[usize(l)];
      });
      for (int bit = task_.columns * task_.lanes / 2; bit > 0; bit /= 2) {
        warp_.add_from(missing, bit);
        if (bit >= task_.columns) warp_.add_from(whole, bit);
      }
      warp_.each([&](int l) {
        if (missing[usize(l)] == 0) write(lane[usize(l)], whole[usize(l)]);
      });
      warp_.sync();
      warp_.each([&](int l) {
        if (missing[usize(l)] == 0) publish(lane[usize(l)]);
        left[usize(l)] = missing[usize(l)];
      });
      backend::sum_over_lanes(warp_, left);
      if (left[usize(0)] == 0) return;
      warp_.idle();
      const auto leaves = [&] {
        return Count(waiting.leaves(&rows_.control->stalled, static_cast<Count>(rows_.number[first])));
      };
      if (warp_.find(leaves) != 0) return;
    }
  }

  const RowsView<T>& rows_;
  const RowTask<T>& task_;
  const Warp& warp_;
};

template <class T>
struct SolveRows {
  static constexpr int threads = backend::threads_of_block, blocks_of_processor = 4;
  RowsView<T> rows;
  RowTask<T> task;

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    RowWarp(rows, task, block.warp()).run();
  }
};

}  // namespace trisweep::sptrsv
