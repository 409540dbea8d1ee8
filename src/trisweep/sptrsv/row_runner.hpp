#pragma once
// Runs a program of rows wherever that computes.

#include <memory>

#include "trisweep/core/vectors.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/sptrsv/ordered_rows.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
class RowRunner {
 public:
  virtual ~RowRunner() = default;
  // With at most most_columns right-hand sides; b and x may be the same memory. Returns when it has ended.
  virtual void solve(Vectors<const T> b, Vectors<T> x) = 0;
};

// A warp for each of `threads`, which plays its lanes.
template <Scalar T>
std::unique_ptr<RowRunner<T>> run_rows_on_host(OrderedRows<T> rows, int threads);
// Throws as engine::require_device().
template <Scalar T>
std::unique_ptr<RowRunner<T>> run_rows_on_gpu(const OrderedRows<T>& rows, engine::Device device);

}  // namespace trisweep::sptrsv
