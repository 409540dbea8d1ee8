// What can be worked out by hand must come out exactly; what cannot must at least add up, and send the
// messages that the plan counts.

#include "trisweep/model/simulate.hpp"

#include <gtest/gtest.h>

#include "support/structure.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::model {
namespace {

using distribution::ProcessGrid;

// Round numbers, all of them different.
Machine simple_machine() {
  Machine m{.name = "simple",
            .device = "cpu",
            .ranks_per_node = 2,
            .ranks_per_memory = 2,
            .worker_bandwidth = 8e9,
            .memory_bandwidth = 1e12,
            .worker_flops = 1e12,
            .task_seconds = 3e-8,
            .product_seconds = 2e-8};
  m.two_sided.inside = {1e-6, 4e9, 3e-7, 5e-7};
  m.two_sided.between = {7e-6, 1e9, 9e-7, 1.1e-6};
  m.one_sided = m.two_sided;
  return m;
}

// Supernodes of those widths, each with all columns of the next one as the rows of its panel.
symbolic::Structure chain(const std::vector<Index>& widths) {
  symbolic::Structure s;
  const auto count = static_cast<Index>(widths.size());
  s.first = {0};
  s.row_ptr = s.block_ptr = {0};
  for (const Index width : widths) s.first.push_back(s.first.back() + width);
  s.n = s.first.back();
  for (Index k = 0; k < count; ++k) {
    s.supernode_of.insert(s.supernode_of.end(), usize(s.width(k)), k);
    s.parent.push_back(k + 1 < count ? k + 1 : -1);
    s.whole.push_back(0);
    s.group.push_back(k);
    if (k + 1 < count) {
      for (Index i = s.first[usize(k) + 1]; i < s.first[usize(k) + 2]; ++i) s.row.push_back(i);
      s.block.push_back({k + 1, 0, s.width(k + 1)});
    }
    s.row_ptr.push_back(static_cast<Offset>(s.row.size()));
    s.block_ptr.push_back(static_cast<Offset>(s.block.size()));
  }
  s.tree = {.levels = 0, .begin = {0, 0}, .end = {0, count}};
  return s;
}

Prediction predict(const symbolic::Structure& s, const ProcessGrid& grid, const Machine& machine,
                   const Workload& workload = {}, plan::Schedule schedule = plan::single_sync,
                   const plan::PlanSpec& spec = {}, const Noise& noise = {}) {
  const auto mapping = distribution::block_cyclic(s, grid);
  return simulate(plan::make_all_plans(s, *mapping, schedule, spec), machine, machine.two_sided, workload,
                  noise);
}

// Three supernodes on three ranks: the first one's part of x goes to both others, down a flat tree.
Prediction predict_fork(const Machine& machine, const Noise& noise = {}) {
  auto s = chain({4, 4, 4});
  s.row = {4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11};
  s.row_ptr = {0, 8, 12, 12};
  s.block = {{1, 0, 4}, {2, 4, 8}, {2, 0, 4}};
  s.block_ptr = {0, 2, 3, 3};
  return predict(s, {3, 1, 1}, machine, {}, plan::single_sync, {.tree = plan::flat_tree}, noise);
}

// Supernodes 0 and 2 on rank 0, whose panels are rank 1's: it has supernode 3.
Prediction predict_join(const Machine& machine) {
  auto s = chain({4, 4, 4, 4});
  s.row = {12, 13, 14, 15, 12, 13, 14, 15};
  s.row_ptr = {0, 4, 4, 8, 8};
  s.block = {{3, 0, 4}, {3, 0, 4}};
  s.block_ptr = {0, 1, 1, 2, 2};
  s.parent = {3, -1, 3, -1};
  return predict(s, {2, 1, 1}, machine);
}

// The formulas of docs/model.md, for a rank that has its memory to itself.
double product(const Machine& m, Index height, Index width, const Workload& w = {}) {
  const double bytes = 8.0 * height * width + w.nrhs * 8.0 * (2 * height + width) + 4.0 * height;
  return std::max(bytes / m.worker_bandwidth, 2.0 * height * width * w.nrhs / m.worker_flops) +
         m.product_seconds;
}
double receiving(const Machine& m, const Link& link, Index rows, const Workload& w = {}) {
  return link.receive_overhead + 2 * 8.0 * rows * w.nrhs / m.worker_bandwidth;
}

TEST(Simulate, ReceiversTakeMessagesSideBySide) {
  Machine m = simple_machine();
  m.workers = 2;
  const Prediction one = predict_join(m);
  m.receivers = 2;
  EXPECT_NEAR(one.seconds - predict_join(m).seconds, receiving(m, m.two_sided.inside, 4), 1e-15);
}

double path_sum(const Prediction& p) {
  double sum = 0;
  for (const PathSegment& s : p.critical_path) sum += s.end - s.begin + s.flight_seconds;
  return sum;
}

TEST(Simulate, OneRankIsTheSumOfItsTasks) {
  const Machine m = simple_machine();
  const auto s = chain({3, 5, 2, 7});
  double expected = 3 * m.task_seconds;  // each sweep is one task, and so are all diagonal blocks
  for (Index k = 0; k < 4; ++k) {
    expected += product(m, s.width(k), s.width(k));
    if (k < 3) expected += 2 * product(m, s.width(k + 1), s.width(k));
  }
  const Prediction p = predict(s, {1, 1, 1}, m);
  EXPECT_NEAR(p.seconds, expected, 1e-15);
  EXPECT_NEAR(p.rank[0].l_seconds + p.rank[0].u_seconds, expected, 1e-15);
  EXPECT_NEAR(p.rank[0].floating_point_seconds(), expected - 3 * m.task_seconds, 1e-15);
  // All products with diagonal blocks are a task of the forward sweep.
  EXPECT_NEAR(p.rank[0].l_floating_point_seconds, p.rank[0].l_seconds - 2 * m.task_seconds, 1e-15);
  EXPECT_NEAR(p.rank[0].u_floating_point_seconds, p.rank[0].u_seconds - m.task_seconds, 1e-15);
  EXPECT_NEAR(p.rank[0].idle_seconds, 0, 1e-15);
}

// Rank 0 owns supernode 0, rank 1 supernode 1 and the panel between them; backward rank 0 has the panel.
double there_and_back(const Machine& m, const Link& link, const symbolic::Structure& s,
                      double latencies = 1) {
  const auto hop = [&](Index rows) {
    return link.send_overhead + latencies * link.latency + 8.0 * rows / link.bandwidth +
           receiving(m, link, rows);
  };
  const Index a = s.width(0), b = s.width(1);
  const double panel = m.task_seconds + product(m, b, a);
  return hop(a) + panel + m.task_seconds + product(m, b, b) + hop(b) + panel;
}

TEST(Simulate, AChainOfMessagesTakesTheTimeOfEach) {
  Machine m = simple_machine();
  const auto s = chain({4, 6});
  EXPECT_NEAR(predict(s, {2, 1, 1}, m).seconds, there_and_back(m, m.two_sided.inside, s), 1e-15);
  m.ranks_per_node = 1;
  EXPECT_NEAR(predict(s, {2, 1, 1}, m).seconds, there_and_back(m, m.two_sided.between, s), 1e-15);
  m.two_sided.eager_bytes = 16;
  EXPECT_NEAR(predict(s, {2, 1, 1}, m).seconds, there_and_back(m, m.two_sided.between, s, 3), 1e-15);
  m.two_sided.eager_bytes = 48;
  EXPECT_NEAR(predict(s, {2, 1, 1}, m).seconds, there_and_back(m, m.two_sided.between, s), 1e-15);
}

// Rank 2 of the fork multiplies what rank 0 sent while it awaits rank 1's sum; no other rank has work
// meanwhile.
TEST(Simulate, ATaskComesAfterALookWhileMessagesAreAwaited) {
  Machine m = simple_machine();
  m.two_sided.inside.latency = 1e-4;
  const Prediction before = predict_fork(m);
  const double chain_before = predict(chain({4, 6}), {2, 1, 1}, m).seconds;
  m.two_sided.look_seconds = 1e-6;
  const Prediction after = predict_fork(m);
  EXPECT_EQ(after.seconds, before.seconds);
  EXPECT_NEAR(before.rank[2].idle_seconds - after.rank[2].idle_seconds, m.two_sided.look_seconds, 1e-12);
  EXPECT_EQ(predict(chain({4, 6}), {2, 1, 1}, m).seconds, chain_before);
}

// Two tiles of a separator on two ranks: what their product costs besides its messages ends with a copy.
TEST(Simulate, AProductOfTilesEndsWithACopy) {
  const auto whole =
      std::make_shared<const symbolic::Structure>(testing_support::random_structure(200, 3, 1, 2));
  const auto& choice = distribution::find_mapping("block-cyclic");
  const ProcessGrid grid{2, 2, 1};
  const auto s = distribution::in_tiles(whole, choice, grid, {.width = 3, .least = 2});
  const auto mapping = choice.make(*s, grid);
  auto plans = plan::make_all_plans(*s, *mapping, plan::single_sync, {});
  const Machine m = simple_machine();
  const auto busy = [&] {
    double seconds = 0;
    for (const RankTimes& r : simulate(plans, m, m.two_sided, {}).rank)
      seconds += r.l_seconds + r.u_seconds - r.idle_seconds;
    return seconds;
  };
  const double with_copies = busy();
  Offset rows = 0;
  for (auto& [share, plan] : plans) {
    for (plan::Phase& phase : plan.phase) {
      auto* sweep = std::get_if<plan::SweepPhase>(&phase);
      if (sweep == nullptr) continue;
      rows += replaced_rows(*sweep);
      sweep->replaced.clear();
    }
  }
  EXPECT_GT(rows, 0);
  EXPECT_NEAR(with_copies - busy(), m.copying_seconds(8.0 * double(rows)), 1e-12);
}

TEST(Simulate, TheCriticalPathNamesWhatEachStepWaitedFor) {
  const Machine m = simple_machine();
  const Prediction p = predict(chain({4, 6}), {2, 1, 1}, m);
  std::vector<std::tuple<Index, Activity, Wait>> path;
  for (const PathSegment& s : p.critical_path) path.emplace_back(s.rank, s.activity, s.waited_for);
  const std::vector<std::tuple<Index, Activity, Wait>> expected{
      {0, Activity::start, Wait::nothing},   {1, Activity::receive, Wait::message},
      {1, Activity::task, Wait::task},       {1, Activity::start, Wait::task},
      {1, Activity::start, Wait::task},      {1, Activity::diagonal, Wait::task},
      {1, Activity::start, Wait::task},      {1, Activity::start, Wait::task},
      {0, Activity::receive, Wait::message}, {0, Activity::task, Wait::task}};
  EXPECT_EQ(path, expected);
  EXPECT_EQ(p.critical_path[1].from, 0);
  EXPECT_EQ(p.critical_path[1].supernode, 0);
  EXPECT_EQ(p.critical_path[8].from, 1);
}

// Rank 0 starts first and has the memory to itself, rank 1 then gets half of it.
TEST(Simulate, RanksThatComputeShareTheirMemory) {
  Machine m = simple_machine();
  m.memory_bandwidth = m.worker_bandwidth;
  auto s = chain({50, 50});
  s.row.clear();
  s.block.clear();
  s.row_ptr = s.block_ptr = {0, 0, 0};
  s.parent = {-1, -1};
  const double alone = product(m, 50, 50) - m.product_seconds, rest = m.product_seconds + m.task_seconds;
  const Prediction together = predict(s, {2, 1, 1}, m);
  EXPECT_NEAR(together.rank[0].l_seconds, alone + rest, 1e-15);
  EXPECT_NEAR(together.rank[1].l_seconds, 2 * alone + rest, 1e-15);
  m.ranks_per_memory = 1;
  EXPECT_NEAR(predict(s, {2, 1, 1}, m).seconds, alone + rest, 1e-15);
}

// Two messages leave a node at once: the second waits until the interface has passed the first.
TEST(Simulate, MessagesOfANodeQueueForItsInterface) {
  Machine m = simple_machine();
  m.ranks_per_node = 1;
  const double free = predict_fork(m).seconds;
  m.injection_bandwidth = 1e9;  // 32 bytes take less than the overhead of a send
  EXPECT_NEAR(predict_fork(m).seconds, free, 1e-15);
  m.injection_bandwidth = 1e6;
  EXPECT_GE(predict_fork(m).seconds, free + 32 / m.injection_bandwidth - m.two_sided.between.send_overhead);
}

// Calls check(structure, mapping, schedule, spec) over the tables, with inverted supernodes and separators.
template <class Check>
void for_each_plan(Check&& check) {
  for (const int whole_levels : {0, 2}) {
    const auto whole = std::make_shared<const symbolic::Structure>(
        testing_support::random_structure(200, 3, 1, whole_levels));
    for (const auto& choice : distribution::mappings()) {
      for (const ProcessGrid grid : {ProcessGrid{2, 3, 1}, {1, 1, 4}, {3, 2, 2}, {2, 2, 8}}) {
        const auto s = distribution::in_tiles(whole, choice, grid, {.width = 3, .least = 2});
        const auto mapping = choice.make(*s, grid);
        for (const auto& schedule : plan::schedules()) {
          for (const auto& inter_grid : plan::inter_grids())
            check(*s, *mapping, schedule.choice, plan::PlanSpec{.inter_grid = inter_grid.choice});
        }
      }
    }
  }
}

TEST(Simulate, MessagesAreThoseOfThePlan) {
  for_each_plan([](const auto& s, const auto& mapping, plan::Schedule schedule, const auto& spec) {
    const auto expected = plan::traffic(s, mapping, schedule, spec).rank;
    const auto plans = plan::make_all_plans(s, mapping, schedule, spec);
    for (const Machine& m : {simple_machine(), find_machine("dgx-1")})
      EXPECT_EQ(simulate(plans, m, m.two_sided, {}).traffic, expected) << m.name;
  });
}

// Where the caller has b and x: in even blocks of an order that has nothing to do with the structure's.
plan::VectorPlaces reversed_rows(Index n, Index ranks) {
  std::vector<Index> old(usize(n));
  for (Index i = 0; i < n; ++i) old[usize(i)] = n - 1 - i;
  return {distribution::even_partition(n, ranks), old, old};
}

TEST(Simulate, VectorsAreAPartOfTheirOwn) {
  const auto s = testing_support::random_structure(200, 3);
  const Machine m = find_machine("cori-haswell");
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 3, 1}, {2, 2, 4}}) {
    const auto mapping = distribution::block_cyclic(s, grid);
    plan::PlanSpec spec;
    const Prediction home = predict(s, grid, m, {.nrhs = 3}, plan::single_sync, spec);
    spec.vectors = std::make_shared<const plan::VectorPlaces>(reversed_rows(s.n, grid.ranks()));
    const Prediction away = predict(s, grid, m, {.nrhs = 3}, plan::single_sync, spec);
    EXPECT_EQ(away.traffic, plan::traffic(s, *mapping, plan::single_sync, spec).rank);
    EXPECT_NEAR(path_sum(away), away.seconds, 1e-9 * away.seconds);
    double last = 0, copied = 0;
    for (std::size_t r = 0; r < away.rank.size(); ++r) {
      const RankTimes& times = away.rank[r];
      EXPECT_EQ(home.rank[r].vector_seconds, 0);
      last =
          std::max(last, times.l_seconds + times.u_seconds + times.inter_grid_seconds + times.vector_seconds);
      copied += times.vector_seconds;
    }
    EXPECT_NEAR(last, away.seconds, 1e-12);
    // Each row at least once on its way in, and once on its way out.
    EXPECT_GE(copied, 2 * m.copying_seconds(3.0 * s.n * sizeof(double)) * (1 - 1e-12));
    if (grid.ranks() == 1) EXPECT_NEAR(away.seconds, home.seconds + copied, 1e-12 * away.seconds);
  }
}

TEST(Simulate, PathsAndRanksAddUp) {
  for_each_plan([](const auto& s, const auto& mapping, plan::Schedule schedule, const auto& spec) {
    const auto plans = plan::make_all_plans(s, mapping, schedule, spec);
    for (const char* name : {"cori-haswell", "perlmutter-gpu"}) {
      const Machine m = find_machine(name);
      const Prediction p = simulate(plans, m, *m.one_sided, {.nrhs = 3});
      EXPECT_NEAR(path_sum(p), p.seconds, 1e-12 + 1e-9 * p.seconds) << name;
      EXPECT_GE(p.seconds, p.bandwidth_floor);
      double last = 0;
      for (const RankTimes& r : p.rank) {
        last = std::max(last, r.l_seconds + r.u_seconds + r.inter_grid_seconds);
        EXPECT_GE(r.idle_seconds, -1e-15);
        EXPECT_LE(r.floating_point_seconds() + r.idle_seconds, (r.l_seconds + r.u_seconds) * (1 + 1e-12));
      }
      EXPECT_NEAR(last, p.seconds, 1e-12);
    }
  });
}

TEST(Simulate, TheSamePlanTakesTheSameTime) {
  const auto s = testing_support::random_structure(300, 3, 9);
  const Machine m = find_machine("cori-knl");
  const Prediction a = predict(s, {2, 3, 4}, m), b = predict(s, {2, 3, 4}, m);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.events, b.events);
  ASSERT_EQ(a.critical_path.size(), b.critical_path.size());
  for (std::size_t i = 0; i < a.critical_path.size(); ++i) {
    EXPECT_EQ(a.critical_path[i].begin, b.critical_path[i].begin);
    EXPECT_EQ(a.critical_path[i].rank, b.critical_path[i].rank);
  }
}

TEST(Noise, IsAMatterOfTheSeed) {
  const auto s = testing_support::random_structure(300, 3, 9);
  const Machine m = find_machine("cori-haswell");
  const auto mapping = distribution::block_cyclic(s, {2, 3, 4});
  const auto plans = plan::make_all_plans(s, *mapping, plan::level_sync, {});
  const auto expected = plan::traffic(s, *mapping, plan::level_sync, {}).rank;
  const auto quiet = simulate(plans, m, m.two_sided, {});
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto noisy = [&] { return simulate(plans, m, m.two_sided, {}, {.sigma = 1, .seed = seed}); };
    const Prediction p = noisy();
    EXPECT_EQ(p.seconds, noisy().seconds);
    EXPECT_NE(p.seconds, quiet.seconds);
    EXPECT_EQ(p.traffic, expected);
    EXPECT_NEAR(path_sum(p), p.seconds, 1e-9 * p.seconds);
  }
  EXPECT_EQ(simulate(plans, m, m.two_sided, {}, {.sigma = 0, .seed = 5}).seconds, quiet.seconds);
}

// A rank that waits for two messages waits for the slower one: on average longer than without noise, although
// the mean of each is the same.
TEST(Noise, MakesThoseWaitWhoNeedTheSlowerOfTwo) {
  Machine m = simple_machine();
  m.two_sided.inside.latency = m.two_sided.between.latency = 1e-3;  // all else is nothing beside it
  const double quiet = predict_fork(m).seconds;
  const int seeds = 200;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    sum += predict_fork(m, {.sigma = 1, .seed = seed}).seconds;
  EXPECT_GT(sum / seeds, 1.1 * quiet);
}

TEST(Simulate, BoundsLeaveOneKindOfCostOut) {
  const auto s = chain({4, 6});
  const Machine m = simple_machine();
  const Link link = m.two_sided.inside;
  const Machine mute = without_communication(m), light = without_computation(m);
  EXPECT_NEAR(predict(s, {2, 1, 1}, mute).seconds, there_and_back(mute, mute.two_sided.inside, s), 1e-15);
  EXPECT_NEAR(predict(s, {2, 1, 1}, light).seconds,
              2 * (link.send_overhead + link.latency + link.receive_overhead) + 8.0 * 10 / link.bandwidth,
              1e-15);
}

// Twelve right-hand sides: the values are read once, the rows twelve times.
TEST(Simulate, RightHandSidesShareThePanels) {
  const Machine m = simple_machine();
  const auto s = chain({8, 8});
  const Workload w{.nrhs = 12};
  EXPECT_NEAR(predict(s, {1, 1, 1}, m, w).seconds, 3 * m.task_seconds + 4 * product(m, 8, 8, w), 1e-15);
}

// Such a plan took the least time of all.
TEST(Simulate, APlanThatNeverEndsIsNoFastOne) {
  const auto s = chain({4, 4, 4, 4});
  const auto mapping = distribution::block_cyclic(s, {2, 1, 1});
  auto plans = plan::make_all_plans(s, *mapping, plan::single_sync, {});
  const Machine machine = simple_machine();
  ASSERT_NO_THROW(simulate(plans, machine, machine.two_sided, {}));
  auto& sweep = std::get<plan::SweepPhase>(plans[0].plan.phase.front());
  ASSERT_FALSE(sweep.incoming.empty());
  for (auto& segment : sweep.segment) ++segment.pending;  // a contribution that never comes
  EXPECT_THROW(simulate(plans, machine, machine.two_sided, {}), Error);
}

}  // namespace
}  // namespace trisweep::model
