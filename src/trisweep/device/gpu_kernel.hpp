#pragma once
// The persistent kernel, for nvcc and hipcc from one source.

#include <algorithm>
#include <array>

#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/gpu_runtime.hpp"
#include "trisweep/device/worker.hpp"

namespace trisweep::device {

inline constexpr int threads_of_block = 256;
// As many as a kernel's arguments have room for.
inline constexpr int most_pes_of_device = 48;

// By PE of the device.
template <class T>
struct AllCallers {
  CallersRows<T> of[most_pes_of_device];
};

// PEs take blocks in turn, so that each has some, wherever they are put. `pes` have no solve yet.
template <class Side, class T, class Peers>
__global__ void __launch_bounds__(threads_of_block)
    run_workers(const Pe<Side, T, Peers>* pes, int count, Solve<T> solve, AllCallers<T> callers) {
  const int p = static_cast<int>(blockIdx.x) % count, worker = static_cast<int>(blockIdx.x) / count;
  Pe<Side, T, Peers> pe = pes[p].of_worker(usize(worker));
  pe.solve = solve;
  pe.solve.caller = callers.of[p];
  const GpuBlock block;
  Worker<Side, T, Peers, GpuBlock>(pe, block).run();
}

// One PE, each of whose items is a block's (Scheduling::block_for_each).
template <class Side, class T, class Peers>
__global__ void __launch_bounds__(threads_of_block)
    run_items(const Pe<Side, T, Peers>* pes, int /*count*/, Solve<T> solve, AllCallers<T> callers) {
  Pe<Side, T, Peers> pe = pes[0].of_worker(blockIdx.x);
  pe.solve = solve;
  pe.solve.caller = callers.of[0];
  const GpuBlock block;
  Worker<Side, T, Peers, GpuBlock>(pe, block).run_only(static_cast<Index>(blockIdx.x));
}

// Which one sides of panels and vectors of T have.
template <class Side, class T, template <class> class Peers>
const void* worker_kernel(Scheduling scheduling) {
  if constexpr (std::is_pointer_v<Side>) {
    if (scheduling == Scheduling::block_for_each)
      return reinterpret_cast<const void*>(&run_items<Side, T, Peers<T>>);
  }
  return reinterpret_cast<const void*>(&run_workers<Side, T, Peers<T>>);
}

// Blocks that run at a time on the current device.
inline int resident_blocks(const void* kernel) {
  int device = 0, of_processor = 0;
  DeviceProperties properties{};
  check(TRISWEEP_GPU(GetDevice)(&device), "finding the device");
  check(TRISWEEP_GPU(GetDeviceProperties)(&properties, device), "asking the device");
  check(TRISWEEP_GPU(OccupancyMaxActiveBlocksPerMultiprocessor)(&of_processor, kernel, threads_of_block, 0),
        "asking the device");
  return of_processor * properties.multiProcessorCount;
}

// Of as many blocks as run at a time those of each of some PEs, `most` at most.
inline int blocks_of_each(const void* kernel, int pes, int most) {
  const int blocks = resident_blocks(kernel);
  if (pes > std::min(blocks, most))
    throw Error(ErrorKind::usage, "more PEs than run together on a device", "use fewer for each device");
  return pes == 0 ? 0 : blocks / pes;
}

// Blocks that may wait for one another: all are resident together.
template <class... Arguments>
void launch_together(const void* kernel, int blocks, Stream stream, Arguments... arguments) {
  std::array<void*, sizeof...(arguments)> pointers{&arguments...};
  check(TRISWEEP_GPU(LaunchCooperativeKernel)(kernel, dim3(static_cast<unsigned>(blocks)),
                                              dim3(threads_of_block), pointers.data(), 0, stream),
        "launching the kernel");
}

struct Blocks {
  int pes;
  int workers;  // of each
  Scheduling scheduling;
};

// All workers are resident together, but for those that have one item each.
template <class T>
void launch(const void* kernel, const void* pes, Blocks blocks, Solve<T> solve, AllCallers<T> callers,
            Stream stream) {
  if (blocks.scheduling == Scheduling::tickets)
    return launch_together(kernel, blocks.workers * blocks.pes, stream, pes, blocks.pes, solve, callers);
  std::array<void*, 4> arguments{&pes, &blocks.pes, &solve, &callers};
  const dim3 grid(static_cast<unsigned>(blocks.workers * blocks.pes)), block(threads_of_block);
  check(TRISWEEP_GPU(LaunchKernel)(kernel, grid, block, arguments.data(), 0, stream), "launching the kernel");
}

// The launches of a solve of a program, by launch(solve), and what the host does between them.
template <class T, class Launch>
void launch_all(const Program& program, Solve<T> solve, const Launch& launch, const ExchangeMessages& carry) {
  for (std::size_t stop = 0;; ++stop, ++solve.launches) {
    const bool is_last = stop == program.boundary.size();
    solve.end = is_last ? all_items : program.boundary[stop].item;
    launch(solve);
    if (is_last) return;
    carry(program.boundary[stop]);
  }
}

}  // namespace trisweep::device
