#include "trisweep/plan/sweep_machine.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/memory_model.hpp"

namespace trisweep::plan {
namespace {

namespace model = testing_support::model;

// Two segments, each fed by tasks 0 and 1; task 2 reads both.
SweepPhase two_segments() {
  SweepPhase phase;
  phase.segment = decltype(phase.segment)(2);
  for (const Index s : {0, 1}) {
    phase.segment[SegmentId(s)].pending = 2;
    phase.segment[SegmentId(s)].consumer_begin = s;
    phase.segment[SegmentId(s)].consumer_end = s + 1;
    phase.counted.push_back(SegmentId(s));
  }
  phase.consumer = {2, 2};
  phase.feed = {SegmentId(0), SegmentId(1), SegmentId(1), SegmentId(0)};
  phase.task.resize(3);
  for (const Index task : {0, 1}) {
    phase.task[usize(task)].feed_begin = 2 * task;
    phase.task[usize(task)].feed_end = 2 * task + 2;
  }
  phase.task[2].waits = 2;
  return phase;
}

struct Shared {
  SweepPhase phase = two_segments();
  SweepCounters<model::Atomic<Index>> counters;
  std::array<std::array<model::Plain<int>, 2>, 2> contribution{};  // by task and segment
  std::array<model::Plain<int>, 2> sum{};                          // by segment
  model::Plain<int> result = 0;
};

struct Handler {
  Shared& shared;

  void sum_up(SegmentId s) const {
    const std::size_t i = usize(s);
    shared.sum[i] = shared.contribution[0][i] + shared.contribution[1][i];
  }
  void send(Index) const {}
  void ready(Index task) const {
    if (task == 2) shared.result = shared.result + shared.sum[0] + shared.sum[1];
  }
};

// The thread that counts last sees what all others have contributed.
TEST(SweepMachine, OrdersSufficeByTheModelOfMemory) {
  using Machine = SweepMachine<model::Atomic<Index>, Handler>;
  const auto make = [] {
    const auto shared = std::make_shared<Shared>();
    shared->counters.reserve(shared->phase);
    Machine(shared->phase, shared->counters, {*shared}).start();
    const auto run = [shared](Index task) {
      for (auto& part : shared->contribution[usize(task)]) part = 1;
      Machine(shared->phase, shared->counters, {*shared}).task_ended(task);
    };
    return std::vector<std::function<void()>>{[=] { run(0); }, [=] { run(1); }};
  };
  EXPECT_EQ(model::first_defect(1000, make), "");
  const auto shared = std::make_shared<Shared>();
  shared->counters.reserve(shared->phase);
  Machine(shared->phase, shared->counters, {*shared}).start();
  for (const Index task : {0, 1}) {
    for (auto& part : shared->contribution[usize(task)]) part = 1;
    Machine(shared->phase, shared->counters, {*shared}).task_ended(task);
  }
  EXPECT_EQ(shared->result, 4);
}

}  // namespace
}  // namespace trisweep::plan
