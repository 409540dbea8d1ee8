#include "trisweep/core/thread_rounds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "support/memory_model.hpp"

namespace trisweep {
namespace {

namespace model = testing_support::model;

constexpr int pool_threads = 3;
constexpr int rounds = 2;

struct SharedPool {
  ThreadRounds<model::Threads> pool;
  model::Plain<int> input = 0;
  std::array<model::Plain<int>, pool_threads> output{};
};

void fail(const char* defect) {
  model::Execution::current()->fail(defect);
}

// In each round every thread takes what the first has written before it, which has all that they wrote after
// it; in the first round all others fail. No thread sleeps through a call, the last result or the end.
void call_all(SharedPool& shared) {
  for (int round = 1; round <= rounds; ++round) {
    shared.input = round;
    bool failed = false;
    try {
      shared.pool.run(pool_threads, [&](int thread) {
        shared.output[static_cast<std::size_t>(thread)] =
            shared.output[static_cast<std::size_t>(thread)] + shared.input;
        if (round == 1 && thread > 0) throw std::runtime_error("one of the threads");
      });
    } catch (const std::runtime_error&) {
      failed = true;
    }
    if (failed != (round == 1)) fail("an exception is lost, or comes again");
    for (const int output : shared.output)
      if (output != round * (round + 1) / 2) fail("a call too many, or too few");
  }
  shared.pool.end();
}

TEST(ThreadRounds, OrdersSufficeByTheModelOfMemory) {
  const auto make = [] {
    const auto shared = std::make_shared<SharedPool>();
    std::vector<std::function<void()>> all{[shared] { call_all(*shared); }};
    for (int thread = 1; thread < pool_threads; ++thread)
      all.emplace_back([shared, thread] { shared->pool.serve(thread); });
    return all;
  };
  EXPECT_EQ(model::first_defect(3000, make), "");
}

}  // namespace
}  // namespace trisweep
