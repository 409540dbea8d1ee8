#pragma once
// The threads that run a kernel. A block has `groups` groups of `lanes` threads: the lanes of a warp, which
// run in lockstep, each with its own registers, which the other lanes can read. Work of a single lane is
// passed to each(); code between such calls is executed by all lanes together. In the emulation a block is
// one thread, which plays all lanes of a warp, one after another: so the host tests what a warp does.

#include "trisweep/backend/emulated/team.hpp"
#if defined(__CUDACC__) || defined(__HIPCC__)
#include "trisweep/backend/gpu/team.hpp"
#endif
#include "trisweep/backend/unrolled.hpp"

namespace trisweep::backend {

// Threads of a block in most kernels, on a GPU.
inline constexpr int threads_of_block = 256;

// Replaces each lane's value by the sum over all lanes.
template <class Warp, class Register>
TRISWEEP_DEVICE inline void sum_over_lanes(const Warp& warp, Register& value) {
  for (int bit = Warp::lanes / 2; bit > 0; bit /= 2) warp.add_from(value, bit);
}

// Calls visit(i) for i in [0, count), each on one thread of the block.
template <class Block, class Visit>
TRISWEEP_DEVICE inline void for_each(const Block& block, std::size_t count, const Visit& visit) {
  const auto threads = usize(block.lanes) * usize(block.groups);
  for (std::size_t i = usize(block.group) * usize(block.lanes) + usize(block.lane); i < count; i += threads)
    visit(i);
}

// Takes items of [0, items) in order, by one thread of each worker; `first`: number of tickets taken in
// earlier launches. Each worker ends a launch with a ticket beyond the last item.
template <class Word>
TRISWEEP_DEVICE inline Count take_ticket(Word* ticket, Count first, Count items) {
  const Count item = add_relaxed<Scope::device>(ticket, 1) - first;
  return item < items ? item : no_item;
}

// A worker (a block or a warp) runs items until take(), called by one of its threads, returns no_item. No
// other value of take() is kept during run(): the products need the registers.
template <class Worker, class Take, class Run>
TRISWEEP_DEVICE inline void take_items(const Worker& worker, const Take& take, const Run& run) {
  for (;;) {
    const Count taken = worker.find(take);
    if (taken == no_item) return;
    run(taken);
  }
}

}  // namespace trisweep::backend
