#pragma once
// Launches of kernels. A kernel is a body: a trivially copyable object that all threads of a block call with
// that block (at most `threads` of them in a block on a GPU). Its source is the same everywhere. For GPUs it
// is compiled in a file with a line TRISWEEP_KERNEL(Body).

#include <algorithm>

#include "trisweep/backend/memory.hpp"
#include "trisweep/backend/team.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/thread_pool.hpp"

namespace trisweep::backend {

// Runs kernels one after another.
struct Queue {
  Device device = Device::emulated;
  ThreadPool* pool = nullptr;  // its threads run the blocks of an emulated device
  void* stream = nullptr;
};

// Defined in the file with the line TRISWEEP_KERNEL(Body); null in a build without a GPU.
template <class Body>
const void* kernel_of();

// Number of warps in a block.
template <class Body>
int warps_of_block(Device device) {
  return is_gpu(device) ? Body::threads / slab_rows : 1;
}

// Number of blocks that are resident at a time.
template <class Body>
int resident_blocks(const Queue& queue) {
  return is_gpu(queue.device) ? runtime(queue.device).resident_blocks(kernel_of<Body>(), Body::threads)
                              : queue.pool->size();
}

// Number of resident blocks for each of `pes` PEs, of which at most `most` share the device. Throws
// Error(usage) if there are more PEs than that.
inline int blocks_of_each(int resident, int pes, int most) {
  if (pes > std::min(resident, most))
    throw Error(ErrorKind::usage, "more PEs than a device can run at a time", "use fewer for each device");
  return pes == 0 ? 0 : resident / pes;
}

template <class Body>
void launch_on_gpu(const Queue& queue, const Body& body, Offset blocks, int threads, bool together) {
  if (blocks == 0) return;
  void* arguments[] = {const_cast<Body*>(&body)};
  runtime(queue.device)
      .launch(kernel_of<Body>(), static_cast<unsigned>(blocks), static_cast<unsigned>(threads), arguments,
              together, queue.stream);
}

// Runs blocks that do not wait for one another, with `threads` threads each on a GPU. On an emulated device
// they have run when this returns; `poll` is called now and then meanwhile.
template <class Body>
void launch(const Queue& queue, const Body& body, Offset blocks, const Poll& poll = {},
            int threads = Body::threads) {
  if (is_gpu(queue.device)) return launch_on_gpu(queue, body, blocks, threads, false);
  if (blocks <= 1) {
    if (blocks == 1) body(HostBlock{});
    return;
  }
  constexpr Index blocks_between_polls = 4;
  const auto run = [&](int thread) {
    const ThreadPool::Part mine = queue.pool->part(thread, usize(blocks), 1);
    HostBlock block{};
    for (block.number = static_cast<Index>(mine.begin); usize(block.number) < mine.end; ++block.number) {
      body(block);
      if (poll && thread == 0 && block.number % blocks_between_polls == 0) poll();
    }
  };
  queue.pool->run(std::ref(run));  // by reference: nothing is allocated
}

// Runs blocks that may wait for one another: at most as many as are resident. On an emulated device waiting
// blocks call `poll`.
template <class Body>
void launch_together(const Queue& queue, const Body& body, int blocks, const Poll& poll = {}) {
  if (is_gpu(queue.device)) return launch_on_gpu(queue, body, blocks, Body::threads, true);
  const auto run = [&](int thread) {
    try {
      HostBlock block{};
      block.number = Index{thread};
      if (poll) block.poll = &poll;
      body(block);
    } catch (...) {
      if constexpr (requires { body.fail(); }) body.fail();  // makes the other blocks leave
      throw;
    }
  };
  queue.pool->run(std::ref(run));  // by reference: nothing is allocated
}

// Waits until all kernels have ended; calls `poll` at least once.
inline void wait(const Queue& queue, const Poll& poll) {
  do poll();
  while (!runtime(queue.device).is_idle(queue.stream));
}

}  // namespace trisweep::backend
