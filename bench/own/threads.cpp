// Crew and ReadyTasks against OpenMP and oneTBB: what it costs to call threads together and to hand tasks
// out.
//   own_threads [ROUNDS] [THREADS] [unpinned]    unpinned: the system may put several threads on one core

#include <omp.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "compare.hpp"
#include "trisweep/core/crew.hpp"
#include "trisweep/engine/ready_tasks.hpp"

namespace {

namespace tbb = oneapi::tbb;
using trisweep::Index;
using Work = std::function<void(int)>;

// OpenMP's threads look for work that long, on a core that the next candidate needs.
constexpr auto until_all_sleep = std::chrono::milliseconds(20);

void pin(int thread) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<unsigned>(thread), &core);
  sched_setaffinity(0, sizeof(core), &core);
}

// Pins oneTBB's threads when they come to its arena.
struct PinnedArena : tbb::task_scheduler_observer {
  explicit PinnedArena(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~PinnedArena() override { observe(false); }
  void on_scheduler_entry(bool) override { pin(tbb::this_task_arena::current_thread_index()); }
};

// Each calls work(thread) for as many numbers as there are threads, and waits. Only Crew and OpenMP promise
// that each call has a thread of its own.
struct ForkJoins {
  ForkJoins(int count, bool pinned) : threads(count), crew(count), arena(count) {
    if (!pinned) return;
    observer.emplace(arena);
    by_crew(pin);
    by_openmp(pin);
  }

  void by_crew(const Work& work) { crew.run(work); }
  void by_openmp(const Work& work) {
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
  }
  void by_tbb(const Work& work) {
    arena.execute([&] { tbb::parallel_for(0, threads, work, tbb::simple_partitioner()); });
  }

  int threads;
  trisweep::Crew crew;
  tbb::task_arena arena;
  std::optional<PinnedArena> observer;
};

struct alignas(64) Count {
  long value = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// What the threads burn while they have nothing to do, and how long they take to come back.
void after_pauses(const std::vector<own::Candidate>& candidates) {
  constexpr int pauses = 100;
  constexpr auto pause = std::chrono::milliseconds(5);
  for (const auto& candidate : candidates) {
    double best = std::numeric_limits<double>::infinity();
    const double before = processor_seconds();
    for (int i = 0; i < pauses; ++i) {
      std::this_thread::sleep_for(pause);
      const auto start = trisweep::Clock::now();
      candidate.work();
      best = std::min(best, trisweep::seconds_since(start));
    }
    fmt::print("{:32} {:16} {:12.3f} us {:8.3f} ms of processor time each\n", "fork-join after 5 ms",
               candidate.name, best * 1e6, (processor_seconds() - before) / pauses * 1e3);
  }
}

void compare_fork_joins(ForkJoins& joins, int rounds) {
  const int threads = joins.threads;
  std::vector<Count> counts(static_cast<std::size_t>(threads));
  const Work work = [&](int thread) { ++counts[static_cast<std::size_t>(thread)].value; };
  const std::vector<own::Candidate> candidates = {{"Crew", [&] { joins.by_crew(work); }},
                                                  {"OpenMP", [&] { joins.by_openmp(work); }},
                                                  {"oneTBB", [&] { joins.by_tbb(work); }}};
  own::compare(fmt::format("fork-join of {} threads", threads), candidates,
               {.rounds = rounds, .times = 20, .calls = 10, .pause = until_all_sleep});
  after_pauses(candidates);
}

// With work for each call, which tells whether the threads share it.
void compare_shared_work(ForkJoins& joins, int rounds) {
  const int threads = joins.threads;
  const Work work = [](int) {
    const auto start = trisweep::Clock::now();
    while (trisweep::Clock::now() - start < std::chrono::microseconds(20)) {
    }
  };
  own::compare(fmt::format("20 us on each of {} threads", threads),
               {{"Crew", [&] { joins.by_crew(work); }},
                {"OpenMP", [&] { joins.by_openmp(work); }},
                {"oneTBB", [&] { joins.by_tbb(work); }}},
               {.rounds = rounds, .times = 100, .pause = until_all_sleep});
}

constexpr Index tasks = 1000;

// Tasks in an order that is neither theirs nor its reverse.
constexpr Index scrambled(Index i) {
  return i * 389 % tasks;
}

class TbbTasks {
 public:
  void push(Index task) { queue_.push(task); }
  std::optional<Index> try_pop() {
    Index task = 0;
    return queue_.try_pop(task) ? std::optional(task) : std::nullopt;
  }

 private:
  tbb::concurrent_priority_queue<Index, std::greater<>> queue_;
};

template <class Queue>
void push_and_pop(Queue& queue) {
  for (Index i = 0; i < tasks; ++i) queue.push(scrambled(i));
  for (Index i = 0; i < tasks; ++i) {
    if (queue.try_pop() != i) std::abort();
  }
}

// Every task that is taken makes the next one ready, until there are none.
template <class Queue>
void pass_on(Queue& queue, trisweep::Crew& crew) {
  for (Index i = 0; i < 16; ++i) queue.push(scrambled(i));
  std::atomic<Index> pushed = 16;
  std::atomic<Index> taken = 0;
  crew.run([&](int) {
    while (taken < tasks) {
      if (!queue.try_pop()) continue;
      ++taken;
      if (const Index next = pushed++; next < tasks) queue.push(scrambled(next));
    }
  });
}

void compare_tasks(trisweep::Crew& crew, int rounds) {
  trisweep::engine::ReadyTasks one;
  trisweep::engine::ReadyTasks ready;
  for (auto* queue : {&one, &ready}) queue->reserve(tasks);
  one.open(1);
  ready.open(crew.size());
  TbbTasks theirs;
  own::compare("1000 tasks, 1 thread",
               {{"ReadyTasks", [&] { push_and_pop(one); }},
                {"with its lock", [&] { push_and_pop(ready); }},
                {"oneTBB", [&] { push_and_pop(theirs); }}},
               {.rounds = rounds});
  own::compare(fmt::format("1000 tasks, {} threads", crew.size()),
               {{"ReadyTasks", [&] { pass_on(ready, crew); }}, {"oneTBB", [&] { pass_on(theirs, crew); }}},
               {.rounds = rounds});
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  const bool pinned = argc <= 3 || argv[3] != std::string("unpinned");
  ForkJoins joins(threads, pinned);
  compare_fork_joins(joins, rounds);
  compare_shared_work(joins, rounds);
  compare_tasks(joins.crew, 10 * rounds);
}
