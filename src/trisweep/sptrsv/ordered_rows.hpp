#pragma once
// A triangular system in the order in which a device solves it, columns being positions in that order.

#include <bit>

#include "trisweep/sptrsv/lower_system.hpp"
#include "trisweep/sptrsv/row_warp.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
struct OrderedRows {
  std::vector<Index> number;  // by position: the caller's
  std::vector<Offset> begin{0};
  std::vector<Index> column;
  std::vector<T> value;
  std::vector<T> diagonal;  // empty: ones
  std::vector<RowLaunch> launch;
  int lanes = 1;

  Index rows() const { return static_cast<Index>(number.size()); }
};

template <Scalar T>
OrderedRows<T> ordered_rows(const LowerSystem<T>& system, const DevicePlan& plan);

// Right-hand sides of a solve; more are solved for in turns.
inline constexpr Index most_columns = slab_rows;

// What the launches of a program of rows are given, one after another. Counts go on from solve to solve:
// nothing is cleared.
template <class T>
class RowTasks {
 public:
  // run(task): by as many warps as it returns.
  template <class Run>
  void solve(std::span<const RowLaunch> launches, int lanes, RowTask<T> task, const Run& run) {
    task.columns = std::bit_ceil(static_cast<unsigned>(task.nrhs));
    task.lanes = std::min(lanes, static_cast<int>(slab_rows) / task.columns);
    task.solve = ++solves_;
    for (const RowLaunch& launch : launches) {
      task.rows = launch;
      task.first_ticket = tickets_;
      tickets_ += task.tickets() + run(task);
    }
  }

 private:
  Count solves_ = 0, tickets_ = 0;
};

}  // namespace trisweep::sptrsv
