// Compiled without the thread sanitizer, which hears of all that orders fibers by the calls below: what they
// have in common here is that of one thread of the host.

#include "fake_cuda/blocks.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#if defined(FAKE_CUDA_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace fake_cuda {
namespace {

[[noreturn]] void end_program(const char* message) {
  std::fprintf(stderr, "fake CUDA: %s\n", message);
  std::abort();
}

// What the thread sanitizer hears of fibers: which of them runs, and what orders them. Without it nothing.
namespace sanitizer {
#if defined(FAKE_CUDA_THREAD_SANITIZER)
void* current() {
  return __tsan_get_current_fiber();
}
void* make() {
  return __tsan_create_fiber(0);
}
void destroy(void* fiber) {
  __tsan_destroy_fiber(fiber);
}
void switch_to(void* fiber) {
  __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}
void release(void* at) {
  __tsan_release(at);
}
void acquire(void* at) {
  __tsan_acquire(at);
}
#else
void* current() {
  return nullptr;
}
void* make() {
  return nullptr;
}
void destroy(void* /*fiber*/) {}
void switch_to(void* /*fiber*/) {}
void release(void* /*at*/) {}
void acquire(void* /*at*/) {}
#endif
}  // namespace sanitizer

// Fibers of one team that wait until all that are left have come.
struct Barrier {
  unsigned members = 0, arrived = 0, passed = 0;
  // For the sanitizer, in turns: a thread that comes early to the next barrier is not ordered behind those
  // that leave this one late.
  std::array<char, 2> order{};
};

struct Fiber : Thread {
  ucontext_t context{};
  void* sanitized = nullptr;
  Barrier* waits_at = nullptr;
  bool ended = false;
  bool fenced_for_device = false, fenced_for_all = false;
};

constexpr std::size_t stack_bytes = 256 << 10;
constexpr std::size_t exchanged_bytes = 16;

// All that a thread of the host needs to play one block after another.
class Block {
 public:
  ~Block() {
    for (Fiber& fiber : fibers_) sanitizer::destroy(fiber.sanitized);
  }

  void run(const Kernel& kernel, const void* argument, unsigned number, unsigned threads, int device) {
    kernel_ = &kernel;
    argument_ = argument;
    device_ = device;
    running_ = threads;
    while (fibers_.size() < threads) add_fiber();
    block_ = {.members = threads};
    for (Barrier& warp : warps_) warp = {};
    for (unsigned t = 0; t < threads; ++t) {
      ++warps_[t / lanes].members;
      Fiber& fiber = fibers_[t];
      static_cast<Thread&>(fiber) = {};
      fiber.thread = {t};
      fiber.block = {number};
      fiber.size = {threads};
      fiber.ended = false;
      fiber.waits_at = nullptr;
      getcontext(&fiber.context);
      fiber.context.uc_stack = {.ss_sp = stacks_[t].get(), .ss_flags = 0, .ss_size = stack_bytes};
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, &Block::begin, 0);
    }
    host_.sanitized = sanitizer::current();
    sanitizer::release(&begun_);
    current_ = &host_;
    switch_to(fibers_[0]);
    sanitizer::acquire(&ended_);
  }

  void wait_at(Barrier& barrier) {
    const unsigned turn = barrier.passed % 2;
    sanitizer::release(&barrier.order[turn]);
    ++barrier.arrived;
    current_->fenced_for_device = current_->fenced_for_all = false;
    current_->waits_at = &barrier;
    if (!open_if_all_came(barrier)) switch_to_next();
    sanitizer::acquire(&barrier.order[turn]);
  }
  void pause() {
    const unsigned before = current_->thread.x;
    Fiber& next = next_ready();
    if (next.thread.x <= before) std::this_thread::yield();
    switch_to(next);
  }

  Barrier& block_barrier() { return block_; }
  Barrier& warp_barrier() { return warps_[current_->thread.x / lanes]; }
  Fiber& fiber() { return *current_; }
  void* exchanged(unsigned lane, unsigned turn) {
    return &exchanged_[((current_->thread.x / lanes * lanes + lane) * 2 + turn) * exchanged_bytes];
  }
  int device() const { return device_; }

 private:
  static void begin();

  void add_fiber() {
    fibers_.emplace_back().sanitized = sanitizer::make();
    stacks_.push_back(std::make_unique_for_overwrite<std::byte[]>(stack_bytes));
    warps_.resize((fibers_.size() + lanes - 1) / lanes);
    exchanged_.resize(warps_.size() * lanes * 2 * exchanged_bytes);
  }

  // Lets those that wait there go on, when the last has come or left.
  bool open_if_all_came(Barrier& barrier) {
    if (barrier.arrived < barrier.members || barrier.members == 0) return false;
    barrier.arrived = 0;
    ++barrier.passed;
    for (Fiber& fiber : fibers_)
      if (fiber.waits_at == &barrier) fiber.waits_at = nullptr;
    return true;
  }

  Fiber& next_ready() {
    const unsigned threads = current_->size.x;
    for (unsigned i = 1; i <= threads; ++i) {
      Fiber& fiber = fibers_[(current_->thread.x + i) % threads];
      if (!fiber.ended && fiber.waits_at == nullptr) return fiber;
    }
    end_program("threads of a block wait for one another at different barriers");
  }
  void switch_to_next() { switch_to(next_ready()); }
  void switch_to(Fiber& to) {
    if (&to == current_) return;
    Fiber& from = *current_;
    current_ = &to;
    sanitizer::switch_to(to.sanitized);
    swapcontext(&from.context, &to.context);
  }

  // By the current fiber, which others do not wait for any more.
  void end_fiber() {
    sanitizer::release(&ended_);
    current_->ended = true;
    for (Barrier* barrier : {&block_, &warp_barrier()}) {
      --barrier->members;
      open_if_all_came(*barrier);
    }
    if (--running_ == 0) {
      switch_to(host_);
    } else {
      switch_to_next();
    }
  }

  const Kernel* kernel_ = nullptr;
  const void* argument_ = nullptr;
  int device_ = 0;
  unsigned running_ = 0;
  Fiber host_;
  Fiber* current_ = &host_;
  std::deque<Fiber> fibers_;
  std::deque<std::unique_ptr<std::byte[]>> stacks_;
  Barrier block_;
  std::deque<Barrier> warps_;
  std::vector<std::byte> exchanged_;
  char begun_ = 0, ended_ = 0;
};

thread_local Block* block_here = nullptr;

void Block::begin() {
  Block& block = *block_here;
  sanitizer::acquire(&block.begun_);
  block.kernel_->run(block.argument_);
  block.end_fiber();
}

// By location: the one device that uses it, and whether atomics of its scope do.
struct Use {
  int device;
  bool scope_of_device;
};
constexpr int several = -1;

// Of all locations. The lock orders nothing for the sanitizer.
class Uses {
 public:
  template <class Work>
  void with(const Work& work) {
    while (__atomic_exchange_n(&locked_, true, __ATOMIC_ACQUIRE)) std::this_thread::yield();
    work(of_);
    __atomic_store_n(&locked_, false, __ATOMIC_RELEASE);
  }

 private:
  bool locked_ = false;
  std::map<const void*, Use> of_;
};
Uses uses;

}  // namespace

void Thread::sync() {
  block_here->wait_at(block_here->block_barrier());
}
void Thread::sync_warp() {
  block_here->wait_at(block_here->warp_barrier());
}
void* Thread::exchanged(unsigned lane) const {
  return block_here->exchanged(lane, exchanges_ % 2);
}

Thread& here() {
  return block_here->fiber();
}
int device_of_block() {
  return block_here->device();
}

void pause() {
  if (block_here != nullptr) {
    block_here->pause();
  } else {
    std::this_thread::yield();
  }
}

void check_scope(const void* at, bool of_device) {
  if (block_here == nullptr) return;
  const int device = block_here->device();
  uses.with([&](auto& of) {
    Use& use = of.try_emplace(at, Use{device, of_device}).first->second;
    if (use.device != device) use.device = several;
    use.scope_of_device |= of_device;
    if (use.device == several && use.scope_of_device)
      end_program("an atomic of one device's scope is used by several devices");
  });
}

void fence(bool of_device) {
  if (block_here == nullptr) return;
  block_here->fiber().fenced_for_device = true;
  if (!of_device) block_here->fiber().fenced_for_all = true;
}
bool is_fenced(bool of_device) {
  if (block_here == nullptr) return true;
  return of_device ? block_here->fiber().fenced_for_device : block_here->fiber().fenced_for_all;
}

void forget_scope(const void* memory, std::size_t bytes) {
  uses.with([&](auto& of) {
    of.erase(of.lower_bound(memory), of.lower_bound(static_cast<const std::byte*>(memory) + bytes));
  });
}

void run_block(const Kernel& kernel, const void* argument, unsigned number, unsigned threads, int device) {
  thread_local const auto block = std::make_unique<Block>();
  block_here = block.get();
  block->run(kernel, argument, number, threads, device);
  block_here = nullptr;
}

}  // namespace fake_cuda
