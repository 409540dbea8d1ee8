#pragma once
// What descriptions of machines have in common. Every figure of a machine has its source in `sources`: what a
// paper gives, else what the vendor or the site publishes, else an estimate, which is called one. Of
// published peak bandwidths of memories a fixed part counts as achievable; papers that measured it are
// followed instead.

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

inline constexpr double us = 1e-6, ns = 1e-9, gb = 1e9, gflop = 1e9;
inline constexpr double cpu_stream = 0.8;       // of peak: what STREAM reaches on server processors
inline constexpr double gpu_stream = 0.85;      // of peak HBM bandwidth
inline constexpr double small_products = 0.25;  // of peak flops
inline constexpr double large_products = 0.8;   // of a core's
inline constexpr double p100_launch = 5 * us;   // of a kernel, with CUDA 8

Source achievable_cpu();
Source achievable_gpu();
Source core_estimates();
Source split();
Source v100();
Source p100();
Source p100_units();
Source p100_blocks();

// A GPU is a rank; its units share its own memory.
Machine gpus(std::string name, Index per_node, Index units, double bandwidth, double flops);

// Messages that the GPU starts itself, into another's memory; two-sided ones go through the CPU.
void connect(Machine& m, double inside, double between, double injection);

}  // namespace trisweep::model
