#pragma once
// Launches of kernels. A kernel is a body: a trivially copyable object that is called with its block, by all
// threads of it (`threads` of them in a block of a GPU, at most), and is the same source everywhere. For GPUs
// it is compiled by a file with a line TRISWEEP_KERNEL(Body).

#include <algorithm>

#include "trisweep/backend/memory.hpp"
#include "trisweep/backend/team.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/thread_pool.hpp"

namespace trisweep::backend {

// Where kernels run, one after another.
struct Queue {
  Device device = Device::emulated;
  ThreadPool* pool = nullptr;  // whose threads are the blocks of an emulated device
  void* stream = nullptr;
};

// Of the file that has its line TRISWEEP_KERNEL; null in a build for no GPU.
template <class Body>
const void* kernel_of();

// Warps of a block.
template <class Body>
int warps_of_block(Device device) {
  return is_gpu(device) ? Body::threads / slab_rows : 1;
}

// Blocks that run at a time.
template <class Body>
int resident_blocks(const Queue& queue) {
  return is_gpu(queue.device) ? runtime(queue.device).resident_blocks(kernel_of<Body>(), Body::threads)
                              : queue.pool->size();
}

// Of the blocks that run at a time those of each of some PEs, `most` at most. Throws Error(usage).
inline int blocks_of_each(int resident, int pes, int most) {
  if (pes > std::min(resident, most))
    throw Error(ErrorKind::usage, "more PEs than run together on a device", "use fewer for each device");
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

// Blocks none of which waits for another, of `threads` threads on a GPU. An emulated device has run them when
// this returns; `poll` is called there now and then meanwhile.
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

// Blocks that may wait for one another: at most as many as are resident. `poll` is called by those of an
// emulated device that wait.
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
      if constexpr (requires { body.fail(); }) body.fail();  // the others leave
      throw;
    }
  };
  queue.pool->run(std::ref(run));  // by reference: nothing is allocated
}

// Until all has ended; `poll` is called once at least.
inline void wait(const Queue& queue, const Poll& poll) {
  do poll();
  while (!runtime(queue.device).is_idle(queue.stream));
}

}  // namespace trisweep::backend
