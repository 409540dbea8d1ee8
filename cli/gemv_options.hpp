#pragma once
// Options of products with H-matrices on devices, for the commands that have them.

#include <CLI/CLI.hpp>

#include "studies/himv/device_product.hpp"

namespace trisweep::cli {

// How panels are launched together, and how GPUs of a process exchange vectors.
void add_gemv_options(CLI::App& sub, studies::GemvOptions& gemv);
// Throws Error(usage) when options of batches are given that the merged kernel has not.
void check_gemv_options(const CLI::App& sub, const studies::GemvOptions& gemv);
void add_gpu_options(CLI::App& sub, Index& gpus, studies::Way& way);

}  // namespace trisweep::cli
