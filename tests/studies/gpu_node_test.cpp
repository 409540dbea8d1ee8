// The GPUs of a node beside what the H-matrix paper measured on Tsubame-3 (Fig. 12 and 13), of which the
// description has the bandwidths between two places alone.

#include <gtest/gtest.h>

#include "studies/himv/iteration.hpp"
#include "studies/himv/launches.hpp"
#include "studies/himv/transfers.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

using model::find_machine;
using model::GpuNode;
using model::Link;
using model::Machine;

constexpr double megabyte = 1e6, bytes = 8 * megabyte;

Machine tsubame() {
  return find_machine("tsubame3");
}
// GB/s of a broadcast from the host to `gpus` of each of so many processes.
double broadcast(Way way, Index processes, Index gpus) {
  const GpuNode node = *tsubame().gpu_node;
  const auto transfers = on_node(node, local_broadcast(way, gpus), processes, gpus);
  return bytes / transfer_seconds(node, transfers, way, bytes, 495e9) * 1e-9;
}

TEST(GpuNode, ABroadcastOfOneProcessIsAsFastAsThePaperMeasured) {
  EXPECT_NEAR(broadcast(Way::set, 1, 1), 12.2, 0.2);
  EXPECT_NEAR(broadcast(Way::set, 1, 4), 5.7, 0.6);
  EXPECT_NEAR(broadcast(Way::copy, 1, 4), 2.6, 0.3);
  EXPECT_NEAR(broadcast(Way::peer, 1, 4), 6.9, 0.7);
}

TEST(GpuNode, BroadcastsOfSeveralProcessesShareTheBuses) {
  EXPECT_NEAR(broadcast(Way::set, 4, 1), 6.2, 0.3);   // (0): a GPU for each
  EXPECT_NEAR(broadcast(Way::set, 2, 2), 5.6, 0.6);   // (0,2)
  EXPECT_NEAR(broadcast(Way::peer, 2, 2), 8.4, 0.6);  // (0,2): by the wide links
}

TEST(GpuNode, SumsGoToTheFirstGpuAndThenToTheHost) {
  const auto set = local_all_reduce(Way::set, 3), peer = local_all_reduce(Way::peer, 3);
  ASSERT_EQ(set.size(), 5u);
  EXPECT_TRUE(set[0].from == 1 && set[0].to == Transfer::host && !set[0].adds);
  EXPECT_TRUE(set[1].from == Transfer::host && set[1].to == 0 && set[1].adds);
  EXPECT_TRUE(set[4].from == 0 && set[4].to == Transfer::host && !set[4].adds);
  EXPECT_LT(set[1].step, set[2].step);  // the host has room for one vector
  ASSERT_EQ(peer.size(), 3u);
  EXPECT_TRUE(peer[0].from == 1 && peer[1].from == 2 && peer[1].to == 0 && peer[1].adds);
  EXPECT_EQ(peer[0].step, peer[1].step);
  EXPECT_LT(peer[1].step, peer[2].step);
}

TEST(GpuNode, ADescriptionWithoutGpusIsRefused) {
  EXPECT_THROW(launch_seconds(find_machine("cori-haswell"), std::vector{Launch{}}), Error);
  EXPECT_THROW(iteration_seconds(find_machine("cori-haswell"), {}, 100, 1, {}), Error);
}

TEST(Launches, AreBoundByTheMemoryByOneBlockOrByTheirNumber) {
  Machine m = tsubame();
  m.task_seconds = 0;
  const double launch = m.gpu_node->launch_seconds;
  const auto blocks = [](std::size_t count, float size) {
    return Launch{.bytes = std::vector<float>(count, size), .threads = 1024};
  };
  EXPECT_NEAR(launch_seconds(m, std::vector{blocks(1, 1e6F)}), launch + 1e6 / m.worker_bandwidth, 1e-9);
  EXPECT_GE(launch_seconds(m, std::vector{blocks(100000, 1e5F)}), 1e10 / m.memory_bandwidth);
  // Ten blocks one after another in each place that a GPU has for them.
  m.task_seconds = 1;
  const std::size_t places = usize(m.workers) * usize(m.gpu_node->resident_blocks);
  Launch tenfold = blocks(10 * places, 0);
  tenfold.threads = 256;
  EXPECT_NEAR(launch_seconds(m, std::vector{tenfold}), launch + 10, 1e-9);
  m.task_seconds = 0;
  // Empty launches of one stream follow each other; those of two go together; types never do.
  Launch other = blocks(0, 0);
  EXPECT_NEAR(launch_seconds(m, std::vector{other, other}), 2 * launch, 1e-9);
  other.stream = 1;
  EXPECT_NEAR(launch_seconds(m, std::vector{blocks(0, 0), other}), launch, 1e-9);
  other.type = 1;
  EXPECT_NEAR(launch_seconds(m, std::vector{blocks(0, 0), other}), 2 * launch, 1e-9);
}

TEST(Iteration, ARingOfProcesses) {
  const Machine m = tsubame();
  EXPECT_EQ(all_gather_seconds(m, {}, bytes), 0);
  const Link& link = m.two_sided.between;
  EXPECT_NEAR(all_gather_seconds(m, {.nodes = 4}, bytes),
              3 * (link.latency + link.send_overhead + link.receive_overhead + bytes / 4 / link.bandwidth),
              1e-9);
  EXPECT_GT(all_gather_seconds(m, {.nodes = 4, .of_node = 4}, bytes),
            all_gather_seconds(m, {.nodes = 4}, bytes));
}

TEST(Iteration, WhatIsSharedIsLessWorkAndWhatIsHiddenIsNoMoreThanThereIs) {
  const Machine m = tsubame();
  const Processes processes{.nodes = 8, .gpus = 4};
  const auto time = [&](const IterationChoice& choice) {
    return iteration_seconds(m, processes, 1e6, 1e-3, choice);
  };
  using Schedule = IterationChoice::Schedule;
  using Hidden = IterationChoice::Hidden;
  EXPECT_LT(time({.schedule = Schedule::hierarchical}).vectors,
            time({.schedule = Schedule::redundant}).vectors);
  EXPECT_LT(time({.merged_dots = true}).vectors, time({}).vectors);
  EXPECT_LT(time({.gpu_aware = true}).local, time({}).local);
  for (const double latency : {0.0, 1e-6, 1e-4, 1e-2}) {
    Machine far = m;
    far.two_sided.between.latency = latency;
    const auto of = [&](Hidden hidden) {
      return iteration_seconds(far, processes, 1e6, 1e-3, {.pipelined = true, .hidden = hidden});
    };
    const IterationTime pipe2 = of(Hidden::gathers);
    EXPECT_LE(pipe2.total(), of(Hidden::copies).total());
    EXPECT_LE(of(Hidden::copies).total(), of(Hidden::nothing).total());
    EXPECT_LE(pipe2.hidden, pipe2.vectors);
    EXPECT_EQ(of(Hidden::nothing).hidden, 0);
  }
}

}  // namespace
}  // namespace trisweep::studies
