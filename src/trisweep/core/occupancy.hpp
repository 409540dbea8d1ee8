#pragma once
// How many blocks of 256 threads a processor of a GPU has room for, of kernels that models price: by what
// nvcc compiles for sm_80 and sm_90, and 65,536 registers, as NVIDIA's processors have had since the P100.
// Written by `scripts/check-kernels --write`; without that option, in CI, it holds this list to the
// compiler's.

#include <array>
#include <string_view>

namespace trisweep {

struct KernelOccupancy {
  std::string_view kernel;
  int registers;  // of a thread
  int blocks;     // of a processor
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
