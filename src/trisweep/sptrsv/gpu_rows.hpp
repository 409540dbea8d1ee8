#pragma once
// A program of rows in the memory of the first GPU. Built with TRISWEEP_CUDA or TRISWEEP_HIP.

#include <memory>

#include "trisweep/core/vectors.hpp"
#include "trisweep/sptrsv/ordered_rows.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
class GpuRows {
 public:
  // Throws Error(environment) when there is no GPU, or not enough of its memory.
  explicit GpuRows(const OrderedRows<T>& rows);
  ~GpuRows();
  GpuRows(const GpuRows&) = delete;
  GpuRows& operator=(const GpuRows&) = delete;

  // With at most most_columns right-hand sides, in `stream` (a cudaStream_t or hipStream_t; null: the default
  // one): neither waits nor allocates when b and x are in the device's memory.
  void solve(Vectors<const T> b, Vectors<T> x, void* stream = nullptr);
  void wait(void* stream = nullptr) const;

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace trisweep::sptrsv
