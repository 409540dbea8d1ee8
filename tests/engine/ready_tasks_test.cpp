#include "trisweep/engine/ready_tasks.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/memory_model.hpp"

namespace trisweep::engine {
namespace {

namespace model = testing_support::model;

TEST(ReadyTasks, ComeFirstInPriorityFirst) {
  ReadyTasks ready;
  ready.open(1);
  EXPECT_FALSE(ready.try_pop());
  for (const Index task : {5, 2, 9, 2, 7}) ready.push(task);
  for (const Index expected : {2, 2, 5}) EXPECT_EQ(ready.try_pop(), expected);
  ready.push(1);
  for (const Index expected : {1, 7, 9}) EXPECT_EQ(ready.pop(), expected);
  EXPECT_FALSE(ready.try_pop());
}

TEST(ReadyTasks, EndWhenNoMoreWillCome) {
  ReadyTasks ready;
  ready.open(1);
  ready.push(3);
  ready.close();
  EXPECT_EQ(ready.pop(), 3);
  EXPECT_EQ(ready.pop(), std::nullopt);
  ready.open(1);  // and begin anew
  EXPECT_FALSE(ready.try_pop());
  ready.push(4);
  EXPECT_EQ(ready.pop(), 4);
}

// Each task makes its successor ready, in chains; the last one ends the waiting of all.
TEST(ReadyTasksThreads, TakeEveryTaskOnce) {
  constexpr Index tasks = 3000, chains = 5;
  constexpr int threads = 3;
  ReadyTasks ready;
  ready.reserve(tasks);
  ready.open(threads);
  for (Index task = 0; task < chains; ++task) ready.push(task);
  std::vector<std::atomic<int>> taken(tasks);
  std::atomic<Index> left = tasks;
  const auto serve = [&] {
    while (const auto task = ready.pop()) {
      ++taken[usize(*task)];
      if (*task + chains < tasks) ready.push(*task + chains);
      if (left.fetch_sub(1) == 1) ready.close();
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(serve);
  serve();
  for (std::thread& other : others) other.join();
  for (Index task = 0; task < tasks; ++task) EXPECT_EQ(taken[usize(task)], 1) << task;
}

// A task reads what was written before it was pushed, and no thread sleeps through the last push or the end.
TEST(ReadyTasks, OrdersSufficeByTheModelOfMemory) {
  constexpr Index tasks = 3;
  struct Shared {
    ReadyTasksOf<model::Threads> ready;
    std::array<model::Plain<int>, tasks> input{};
    model::Atomic<Index> left = tasks;
  };
  const auto make = [] {
    const auto shared = std::make_shared<Shared>();
    shared->ready.reserve(tasks);
    shared->ready.open(4);
    const auto push = [shared] {
      for (Index task = 0; task < tasks; ++task) {
        shared->input[usize(task)] = 1;
        shared->ready.push(task);
      }
    };
    const auto serve = [shared] {
      while (const auto task = shared->ready.pop()) {
        if (shared->input[usize(*task)] != 1) model::Execution::current()->fail("a task without its input");
        shared->input[usize(*task)] = 0;
        if (shared->left.fetch_sub(1, std::memory_order_relaxed) == 1) shared->ready.close();
      }
    };
    return std::vector<std::function<void()>>{push, serve, serve, serve};
  };
  EXPECT_EQ(model::first_defect(3000, make), "");
}

}  // namespace
}  // namespace trisweep::engine
