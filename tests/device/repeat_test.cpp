// One program run again and again: nothing is cleared in between, workers are late at random, sums are the
// same every time, and a PE that fails or never comes ends all.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/one_way.hpp"
#include "device/virtual_pes.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::device {
namespace {

using testing_support::largest_difference;
using testing_support::LateBlock;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_structure;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::VirtualPes;

// A small system, by default on four PEs, two of them in another layer.
struct System {
  distribution::ProcessGrid grid{2, 1, 2};
  symbolic::Structure structure = random_structure(40, 2, 4, 1);
  Programs programs{structure, grid, {}, Op::none, false};
  MadeUpFactors<double> factors{*programs.distribution.structure, false};
  std::vector<double> b = random_vector<double>(40, 3);
};

TEST(DeviceRepeatThreads, AThousandSolvesWithWorkersThatAreLateAreBitwiseEqual) {
  const System of;
  VirtualPes<double> pes(of.programs, of.factors, 2, 1);
  const std::vector<double> first = pes.solve(of.b, 1);
  EXPECT_LT(largest_difference(first, of.factors.solve(Op::none, of.b)), 1e-13);
  for (std::uint64_t solve = 1; solve < 1000; ++solve) {
    show_life();
    const auto late = [&](int pe, int worker) { return LateBlock(solve, 8 * pe + worker); };
    ASSERT_EQ(pes.solve(of.b, 1, late), first) << solve;
  }
}

// PEs that are ahead are in the next solve while others are in the last one.
TEST(DeviceRepeatThreads, SolvesFollowOneAnotherWithoutABarrier) {
  const System of{.grid = {2, 2, 1}};
  VirtualPes<double> pes(of.programs, of.factors, 1, 1);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    show_life();
    constexpr int times = 20;
    std::vector<double> expected = of.b;
    for (int time = 0; time < times; ++time) expected = pes.solve(expected, 1);
    const auto late = [&](int pe, int time) { return LateBlock(seed, 64 * time + pe); };
    ASSERT_EQ(pes.solve_again_and_again(of.b, times, late), expected) << seed;
  }
}

TEST(DeviceRepeatThreads, SumsDoNotDependOnTheNumberOfWorkers) {
  const System of;
  const auto b = random_vector<double>(3 * 40, 6);
  VirtualPes<double> alone(of.programs, of.factors, 1, 3);
  const std::vector<double> expected = alone.solve(b, 3);
  for (const int workers : {2, 3}) {
    VirtualPes<double> pes(of.programs, of.factors, workers, 3);
    EXPECT_EQ(pes.solve(b, 3), expected) << workers;
  }
}

// Runs the solve that another PE is behind with, once it is waited for.
struct LaterPe {
  std::function<void()> run;
  int looks = 0;
  void operator()() {
    if (++looks == 1) run();
  }
};

// PE 0 sends a row to PE 1, which has yet to read that of the solve before.
TEST(DeviceRepeat, NothingIsSentToWhoseSolveBeforeIsNotFinished) {
  const testing_support::OneWay programs;
  const auto& [sender, receiver] = programs;
  std::vector<Buffer<std::byte>> shared;
  for (const Program* program : {&sender, &receiver})
    shared.push_back(zeros<std::byte>(shared_layout(*program, 2).bytes<double>(1), "a test"));
  testing_support::TestPe<double> from(sender, 2, 1, 1, shared[0].data()),
      to(receiver, 2, 1, 1, shared[1].data());
  const std::array memory{from.shared(), to.shared()};
  const PanelSpans<double> no_panels{};

  std::vector<double> received;
  LaterPe later;
  later.run = [&] {
    to.work(memory, no_panels, to.next(1, 0), 0, HostBlock{});
    received.push_back(to.rows()[0]);
  };
  const Poll poll = std::ref(later);
  for (const double value : {1.0, 2.0, 3.0}) {
    later.looks = 0;
    from.rows()[0] = value;
    from.work(memory, no_panels, from.next(1, 0), 0, HostBlock{.poll = &poll});
  }
  later.run();
  EXPECT_EQ(received, (std::vector{1.0, 2.0, 3.0}));
}

struct FailingBlock : HostBlock {
  bool fails = false;

  void begin(Index item) const {
    if (fails && item == 3) throw Error(ErrorKind::environment, "this PE has had enough");
  }
};

// While it runs, too.
bool has_failed(const LocalPe<double>& pe) {
  return load_acquire<Scope::system>(&pe.shared().control->failed) != 0;
}

TEST(DeviceRepeatThreads, APeThatFailsEndsAll) {
  const System of;
  VirtualPes<double> pes(of.programs, of.factors, 2, 1);
  const auto failing = [](int pe, int) {
    FailingBlock block;
    block.fails = pe == 1;
    return block;
  };
  EXPECT_THAT([&] { pes.solve(of.b, 1, failing); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("had enough")));
  for (std::size_t p = 0; p < 4; ++p) EXPECT_TRUE(has_failed(pes.pe(p))) << p;
}

// Takes an item and never ends it, as long as others wait.
struct StuckBlock : HostBlock {
  const std::function<bool()>* others_left = nullptr;

  void begin(Index) const {
    while (others_left != nullptr && !(*others_left)()) std::this_thread::yield();
  }
};

TEST(DeviceRepeatThreads, AWatchdogSaysWhichSegmentIsWaitedFor) {
  const System of{.grid = {2, 1, 1}};
  VirtualPes<double> pes(of.programs, of.factors, 1, 1);
  const std::function<bool()> left = [&] { return has_failed(pes.pe(0)); };
  const auto stuck = [&](int pe, int) {
    StuckBlock block;
    if (pe == 1) block.others_left = &left;
    return block;
  };
  pes.solve(of.b, 1, stuck, 0.05);
  EXPECT_TRUE(has_failed(pes.pe(1)));
  pes.pe(0).record(1, nullptr);
  EXPECT_THAT(pes.pe(0).stalled().value_or(""),
              testing::ContainsRegex("rank 0 waits in the .* for supernode .*, of rank 1"));
}

}  // namespace
}  // namespace trisweep::device
