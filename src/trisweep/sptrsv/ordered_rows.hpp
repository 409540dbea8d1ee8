#pragma once
// A triangular system in the order of a device's solves; columns are positions in that order.

#include "trisweep/sptrsv/device_plan.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
struct OrderedRows {
  std::vector<Index> number;  // the caller's number, by position
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

}  // namespace trisweep::sptrsv
