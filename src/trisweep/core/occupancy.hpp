#pragma once
// How many blocks of 256 threads fit on a streaming multiprocessor (SM), for the kernels that models price:
// from the registers nvcc uses for sm_80 and sm_90, of the 65,536 that NVIDIA's SMs have had since the P100.
// Written by `scripts/check-kernels --write`; in CI, without that option, the script checks the list against
// nvcc.

#include <array>
#include <string_view>

namespace trisweep {

struct KernelOccupancy {
  std::string_view kernel;
  int registers;  // per thread
  int blocks;     // per SM
};
inline constexpr auto kernel_occupancy = std::to_array<KernelOccupancy>({
    {"MergedProduct<double>", 80, 3},
    {"RunBatch<double>", 80, 3},
    {"RunDesign<double, GetUpdatePut>", 73, 3},
    {"RunDesign<double, Push>", 80, 3},
    {"RunDesign<double, ReadOnly>", 78, 3},
    {"RunDesign<double, Unified>", 73, 3},
    {"SolveRows<double>", 49, 5},
});

consteval int resident_blocks_of(std::string_view kernel) {
  for (const KernelOccupancy& of : kernel_occupancy)
    if (of.kernel == kernel) return of.blocks;
  throw "no such kernel";
}

}  // namespace trisweep
