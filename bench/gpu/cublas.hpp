#pragma once
// cuBLAS's batched products with the panels of an H-matrix, in double precision: padded ones, all of a batch
// of the same size, and each one separately in streams, as the paper compares (Yamazaki et al., Fig. 9). Each
// product writes to its own place: the summation is omitted.

#include <functional>
#include <string>

#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::bench {

// description, launches, seconds
using CublasReport = std::function<void(const std::string&, Offset, double)>;

void measure_cublas(const device::GemvTasks& tasks, const CublasReport& report);

}  // namespace trisweep::bench
