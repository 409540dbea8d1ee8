#pragma once
// Options for products with H-matrices on devices.

#include <CLI/CLI.hpp>

#include "studies/himv/device_product.hpp"

namespace trisweep::cli {

// Options for launching several panels together (--batch, ...).
void add_gemv_options(CLI::App& sub, studies::GemvOptions& gemv);
// Throws Error(usage) when options for batches are given that the merged kernel does not use.
void check_gemv_options(const CLI::App& sub, const studies::GemvOptions& gemv);
// Options for the GPUs of a process, and for how these exchange vectors.
void add_gpu_options(CLI::App& sub, Index& gpus, studies::Way& way);

}  // namespace trisweep::cli
