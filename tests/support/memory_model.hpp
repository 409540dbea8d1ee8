#pragma once
// A checker for code that threads share: it runs the threads as fibers in random order, one step at a time,
// by the memory model of C++ rather than by that of this processor. A load takes any value that the orders
// allow, however old, and an access of plain memory that no order separates from another is a race. Histories
// of stores and vector clocks as in Norris and Demsky (CDSChecker, OOPSLA 2013); modification orders are
// those of execution. A sequentially consistent operation orders here as if it stood between two such fences.

#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::testing_support::model {

inline constexpr std::size_t most_threads = 4;

// How many steps of each thread have happened before.
struct VectorClock {
  std::array<unsigned, most_threads> of{};

  void join(const VectorClock& other) {
    for (std::size_t t = 0; t < most_threads; ++t) of[t] = std::max(of[t], other.of[t]);
  }
};

// One run of some threads, and the only one at a time.
class Execution {
 public:
  explicit Execution(std::uint64_t seed) : random_(seed) {}

  // What went wrong first, or nothing.
  std::string run(std::vector<std::function<void()>> threads) {
    current_ = this;
    for (auto& work : threads) add(std::move(work));
    next();
    current_ = nullptr;
    return defect_;
  }

  static Execution* current() { return current_; }
  std::size_t thread() const { return thread_; }
  VectorClock& clock() { return fibers_[thread_]->clock; }
  VectorClock& sequential() { return sequential_; }
  std::size_t choose(std::size_t choices) { return (random_ = split_mix(random_)) % choices; }

  // Before an operation that others may see: they may come first.
  void step() {
    constexpr int most_steps = 200000;
    if (++steps_ > most_steps) fail("the threads do not end");
    switch_to_any();
    ++clock().of[thread_];
  }
  // Until ready() holds.
  void block(std::function<bool()> ready) {
    fibers_[thread_]->ready = std::move(ready);
    switch_to_any();
    fibers_[thread_]->ready = nullptr;
  }
  // Ends the run.
  void fail(std::string defect) {
    defect_ = std::move(defect);
    swapcontext(&fibers_[thread_]->context, &host_);
  }

 private:
  struct Fiber {
    std::function<void()> work;
    std::function<bool()> ready;
    ucontext_t context{};
    VectorClock clock;
    bool ended = false;
    std::vector<std::byte> stack = std::vector<std::byte>(64 << 10);
  };

  void add(std::function<void()> work) {
    Fiber& fiber = *fibers_.emplace_back(std::make_unique<Fiber>());
    fiber.work = std::move(work);
    getcontext(&fiber.context);
    fiber.context.uc_stack = {.ss_sp = fiber.stack.data(), .ss_flags = 0, .ss_size = fiber.stack.size()};
    makecontext(&fiber.context, &Execution::begin, 0);
  }
  static void begin() {
    Execution& run = *current_;
    Fiber& mine = *run.fibers_[run.thread_];
    mine.work();
    mine.ended = true;
    run.switch_to_any();
  }

  // From the host.
  void next() {
    thread_ = choose(fibers_.size());
    swapcontext(&host_, &fibers_[thread_]->context);
  }
  void switch_to_any() {
    std::array<std::size_t, most_threads> able{};
    std::size_t count = 0;
    for (std::size_t t = 0; t < fibers_.size(); ++t)
      if (!fibers_[t]->ended && (!fibers_[t]->ready || fibers_[t]->ready())) able[count++] = t;
    Fiber& from = *fibers_[thread_];
    if (count == 0) {
      const auto ended = [](const auto& fiber) { return fiber->ended; };
      if (!std::ranges::all_of(fibers_, ended)) defect_ = "all threads wait for one another";
      swapcontext(&from.context, &host_);
    }
    const std::size_t to = able[choose(count)];
    if (to == thread_) return;
    thread_ = to;
    swapcontext(&from.context, &fibers_[to]->context);
  }

  inline static Execution* current_ = nullptr;
  std::uint64_t random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::size_t thread_ = 0;
  ucontext_t host_{};
  VectorClock sequential_;
  int steps_ = 0;
  std::string defect_;
};

// std::atomic of a run, as far as it is used.
template <class T>
class Atomic {
 public:
  using Order = std::memory_order;

  Atomic(T value = T()) { stores_.push_back({value, {}, {}}); }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(Order order = Order::seq_cst) const {
    begin(order);
    return read(any(), order);
  }
  void store(T value, Order order = Order::seq_cst) {
    begin(order);
    write(value, order, {});
  }
  T exchange(T value, Order order = Order::seq_cst) {
    return modify([&](T) { return value; }, order);
  }
  T fetch_add(T value, Order order = Order::seq_cst) {
    return modify([&](T old) { return T(old + value); }, order);
  }
  T fetch_sub(T value, Order order = Order::seq_cst) {
    return modify([&](T old) { return T(old - value); }, order);
  }
  bool compare_exchange_weak(T& expected, T value, Order success, Order failure) {
    begin(success);
    const std::size_t at = any();
    if (at + 1 < stores_.size() || stores_[at].value != expected) {
      expected = read(at, failure);
      return false;
    }
    read(at, success);
    write(value, success, stores_[at].released);
    return true;
  }
  operator T() const { return load(); }
  T operator=(T value) {
    store(value);
    return value;
  }
  T operator++() { return fetch_add(1) + 1; }
  T operator--() { return fetch_sub(1) - 1; }

 private:
  struct Store {
    T value;
    VectorClock released;  // what an acquiring load of it gains
    VectorClock seen;      // by thread: at which step first, 0 not yet
  };

  static bool acquires(Order order) {
    return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
  }
  static bool releases(Order order) {
    return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
  }
  static Execution& run() { return *Execution::current(); }
  static void begin(Order order) {
    if (Execution::current() == nullptr) return;
    run().step();
    if (order != Order::seq_cst) return;
    run().clock().join(run().sequential());
    run().sequential().join(run().clock());
  }

  // None that is older than one of which this thread knows.
  std::size_t any() const {
    if (Execution::current() == nullptr) return stores_.size() - 1;
    std::size_t oldest = stores_.size() - 1;
    const auto& now = run().clock().of;
    const auto is_known = [&](const Store& store) {
      for (std::size_t t = 0; t < most_threads; ++t)
        if (store.seen.of[t] != 0 && store.seen.of[t] <= now[t]) return true;
      return false;
    };
    while (oldest > 0 && !is_known(stores_[oldest])) --oldest;
    return oldest + run().choose(stores_.size() - oldest);
  }
  T read(std::size_t at, Order order) const {
    Store& store = stores_[at];
    if (Execution::current() == nullptr) return store.value;
    see(store);
    if (acquires(order)) run().clock().join(store.released);
    return store.value;
  }
  void write(T value, Order order, VectorClock released) {
    if (Execution::current() != nullptr && releases(order)) released.join(run().clock());
    stores_.push_back({value, released, {}});
    if (Execution::current() == nullptr) return;
    see(stores_.back());
    ++run().clock().of[run().thread()];  // what comes behind it is not released with it
  }
  static void see(Store& store) {
    unsigned& first = store.seen.of[run().thread()];
    if (first == 0) first = run().clock().of[run().thread()];
  }
  template <class Change>
  T modify(const Change& change, Order order) {
    begin(order);
    const std::size_t last = stores_.size() - 1;
    const T old = read(last, order);
    write(change(old), order, stores_[last].released);
    return old;
  }

  mutable std::vector<Store> stores_;  // in modification order
};

// std::atomic_ref of one.
template <class T>
class AtomicRef {
 public:
  explicit AtomicRef(Atomic<T>& of) : of_(&of) {}
  Atomic<T>* operator->() const { return of_; }
  T load(std::memory_order order) const { return of_->load(order); }
  void store(T value, std::memory_order order) const { of_->store(value, order); }
  T exchange(T value, std::memory_order order) const { return of_->exchange(value, order); }
  bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                             std::memory_order failure) const {
    return of_->compare_exchange_weak(expected, value, success, failure);
  }

 private:
  Atomic<T>* of_;
};

// A variable that is no atomic: a race ends the run.
template <class T>
class Plain {
 public:
  Plain(T value = T()) : value_(value) {}
  operator T() const {
    if (Execution* const run = Execution::current()) {
      check(*run, written_, "a read races with a write");
      read_.of[run->thread()] = run->clock().of[run->thread()];
    }
    return value_;
  }
  Plain& operator=(T value) {
    if (Execution* const run = Execution::current()) {
      check(*run, written_, "two writes race");
      check(*run, read_, "a write races with a read");
      written_.of[run->thread()] = run->clock().of[run->thread()];
    }
    value_ = value;
    return *this;
  }

 private:
  static void check(Execution& run, const VectorClock& others, const char* defect) {
    for (std::size_t t = 0; t < most_threads; ++t)
      if (t != run.thread() && others.of[t] > run.clock().of[t]) run.fail(defect);
  }

  T value_;
  VectorClock written_;
  mutable VectorClock read_;
};

class Mutex {
 public:
  void lock() {
    Execution& run = *Execution::current();
    run.step();
    while (held_) run.block([this] { return !held_; });
    held_ = true;
    run.clock().join(released_);
  }
  void unlock() {
    released_ = Execution::current()->clock();
    held_ = false;
    Execution::current()->step();
  }

 private:
  bool held_ = false;
  VectorClock released_;
};

class Condition {
 public:
  template <class Lock, class Ready>
  void wait(Lock& lock, const Ready& ready) {
    while (!ready()) {
      bool notified = false;
      Execution::current()->step();  // others may come between the look and the sleep
      waiting_.push_back(&notified);
      lock.unlock();
      Execution::current()->block([&] { return notified; });
      lock.lock();
    }
  }
  void notify_one() {
    Execution::current()->step();
    if (waiting_.empty()) return;
    const auto one =
        waiting_.begin() + static_cast<std::ptrdiff_t>(Execution::current()->choose(waiting_.size()));
    **one = true;
    waiting_.erase(one);
  }
  void notify_all() {
    Execution::current()->step();
    for (bool* const one : waiting_) *one = true;
    waiting_.clear();
  }

 private:
  std::vector<bool*> waiting_;
};

// What threads share and wait by: StandardThreads (core/wait.hpp) of a run. Sooner or later a thread sleeps.
struct Threads {
  using Mutex = model::Mutex;
  using Condition = model::Condition;
  template <class T>
  using Atomic = model::Atomic<T>;
  template <class T>
  using Plain = model::Plain<T>;
  template <class Ready>
  static bool soon(const Ready& ready) {
    return Execution::current()->choose(2) == 0 && ready();
  }
};

// What went wrong first in so many runs: make() gives the threads of one, which hold what they share.
template <class Make>
std::string first_defect(int runs, const Make& make) {
  for (int seed = 0; seed < runs; ++seed) {
    const std::string defect = Execution(static_cast<std::uint64_t>(seed)).run(make());
    if (!defect.empty()) return fmt::format("{} (run {})", defect, seed);
  }
  return {};
}

}  // namespace trisweep::testing_support::model
