#pragma once
// Common parts of machine descriptions. Every figure of a machine has its source in `sources`: what a paper
// gives, else what the vendor or the site publishes, else an estimate, which is called one. A fixed fraction
// of the published peak memory bandwidth counts as achievable, unless a paper measured it.

#include "trisweep/model/machine.hpp"

namespace trisweep::model {

inline constexpr double us = 1e-6, ns = 1e-9, gb = 1e9, gflop = 1e9;
inline constexpr double cpu_stream = 0.8;       // of peak: what STREAM reaches on server processors
inline constexpr double gpu_stream = 0.85;      // of peak HBM bandwidth
inline constexpr double small_products = 0.25;  // of peak flops
inline constexpr double large_products = 0.8;   // of a core's peak flops
inline constexpr double p100_launch = 5 * us;   // of a kernel, with CUDA 8

Source achievable_cpu();
Source achievable_gpu();
Source core_estimates();
Source split();
Source v100();
Source p100();
Source p100_units();
Source p100_blocks();

// Each GPU is a rank; its compute units share its memory.
Machine gpus(std::string name, Index per_node, Index units, double bandwidth, double flops);

// Sets the networks: one-sided messages, which a GPU itself writes to another GPU's memory, and two-sided
// ones, which go through the CPU.
void connect(Machine& m, double inside, double between, double injection);

}  // namespace trisweep::model
