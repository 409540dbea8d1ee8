#include "trisweep/core/progress_count.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "support/memory_model.hpp"

namespace trisweep {
namespace {

namespace model = testing_support::model;

constexpr int threads = 3;
constexpr int components = 9;

// Threads have components in turns, and each component is the sum of all before it, plus one: 2^i.
struct Shared {
  std::array<model::Plain<int>, components> x{};
  std::array<ProgressCount<model::Atomic<int>>, threads> progress;  // components of a thread that are done
};

void solve(Shared& shared, int thread) {
  for (int i = thread; i < components; i += threads) {
    int sum = 1;
    for (int j = 0; j < i; ++j) {
      while (!shared.progress[static_cast<std::size_t>(j % threads)].reached(j / threads + 1)) {
      }
      sum += shared.x[static_cast<std::size_t>(j)];
    }
    if (sum != 1 << i) model::Execution::current()->fail("a component is read before it is there");
    shared.x[static_cast<std::size_t>(i)] = sum;
    auto& mine = shared.progress[static_cast<std::size_t>(thread)];
    mine.set(mine.own() + 1);
  }
}

TEST(ProgressCount, OrdersSufficeByTheModelOfMemory) {
  const auto make = [] {
    const auto shared = std::make_shared<Shared>();
    std::vector<std::function<void()>> all;
    for (int thread = 0; thread < threads; ++thread)
      all.emplace_back([shared, thread] { solve(*shared, thread); });
    return all;
  };
  EXPECT_EQ(model::first_defect(1000, make), "");
}

}  // namespace
}  // namespace trisweep
