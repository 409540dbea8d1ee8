#include "trisweep/core/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

TEST(ThreadPoolThreads, CallsEveryThreadOnceInEveryRound) {
  ThreadPool pool(3);
  std::array<int, 3> calls{};
  for (int round = 0; round < 100; ++round)
    pool.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  EXPECT_EQ(calls, (std::array{100, 100, 100}));
}

// Some milliseconds: more than a thread waits awake.
void work_long() {
  volatile int steps = 0;
  for (int i = 0; i < 10'000'000; ++i) steps = i;
}

// Until the system says that the thread sleeps.
void wait_until_asleep(pid_t thread) {
  const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
  while (true) {
    std::ifstream stat(file);
    std::string line;
    ASSERT_TRUE(std::getline(stat, line)) << file;
    if (line[line.rfind(')') + 2] == 'S') return;
    std::this_thread::yield();
  }
}

TEST(ThreadPoolThreads, CallsThreadsThatSleep) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  pid_t other = 0;
  pool.run([&](int thread) {
    if (thread == 1) other = gettid();
  });
  for (int round = 0; round < 3; ++round) {
    wait_until_asleep(other);
    pool.run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 6);
}

// The others sleep while thread 0 works on, and thread 0 while they do.
TEST(ThreadPoolThreads, WakesThreadsThatSleep) {
  for (const int late : {0, 1}) {
    ThreadPool pool(2);
    std::atomic<int> calls = 0;
    for (int round = 0; round < 3; ++round) {
      pool.run([&](int thread) {
        if (thread == late) work_long();
        ++calls;
      });
    }
    EXPECT_EQ(calls, 6);
  }
}

TEST(ThreadPoolThreads, RethrowsWhenAllCallsHaveEndedAndServesOn) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  const auto failing = [&](int thread) {
    ++calls;
    if (thread == 1) throw std::runtime_error("thread 1");
  };
  EXPECT_THROW(pool.run(failing), std::runtime_error);
  EXPECT_EQ(calls, 2);
  pool.run([&](int) { ++calls; });
  EXPECT_EQ(calls, 4);
}

// What `work` returns in a forked child; -1 where the child does not come to its end.
template <class Work>
int in_forked_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The others sleep, as they do most of the time.
TEST(ThreadPool, StartsItsOwnInAForkedChild) {
  auto pool = std::make_unique<ThreadPool>(3);
  std::atomic<pid_t> other = 0;
  pool->run([&](int thread) {
    if (thread == 1) other = gettid();
  });
  wait_until_asleep(other);
  EXPECT_EQ(in_forked_child([&] {
              std::atomic<int> calls = 0;
              for (int i = 0; i < 2; ++i) pool->run([&](int) { ++calls; });
              pool.reset();
              return int(calls);
            }),
            6);
  EXPECT_EQ(in_forked_child([&] {
              pool.reset();
              return 0;
            }),
            0);
  std::atomic<int> calls = 0;
  pool->run([&](int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(ThreadPool, OfOneThreadWorksInAForkedChild) {
  ThreadPool pool(1);
  EXPECT_EQ(in_forked_child([&] {
              int calls = 0;
              pool.run([&](int) { ++calls; });
              return calls;
            }),
            1);
}

TEST(ThreadPool, HasALeastAndAMostNumberOfThreads) {
  for (const int threads : {-1, 0, most_threads + 1}) EXPECT_THROW(ThreadPool{threads}, Error) << threads;
}

}  // namespace
}  // namespace trisweep
