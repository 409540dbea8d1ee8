#pragma once
// cuBLAS's batched products with the panels of an H-matrix, in double precision: padded ones, all of a batch
// alike, and each by itself in streams, as the paper compares (Yamazaki et al., Fig. 9). They write what they
// have nowhere in common: adding it up is left out.

#include <functional>
#include <string>

#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::bench {

// what, launches, seconds
using CublasReport = std::function<void(const std::string&, Offset, double)>;

void measure_cublas(const device::GemvTasks& tasks, const CublasReport& report);

}  // namespace trisweep::bench
