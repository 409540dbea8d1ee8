// What a GPU is asked first, smallest first: a kernel of one item, a PE, what ends a solve that cannot go on.

#include <gmock/gmock.h>

#include "device/gpu/combination_case.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::device {
namespace {

using testing_support::AllPanels;
using testing_support::gpu;
using testing_support::largest_difference;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_structure;
using testing_support::random_vector;
using testing_support::solve_on_gpu;
using testing_support::VirtualPes;

class FirstContactThreads : public testing_support::Gpu {};

const std::vector<PanelSpans<double>> no_panels(1);

// Each item clears a row.
Program clears(Index rows) {
  Program program;
  program.rows = rows;
  for (Index row = 0; row < rows; ++row) {
    program.run.push_back({row, 1});
    program.item.push_back({.action = Action::clear, .at = row, .end = row + 1});
  }
  return program;
}

std::vector<double> rows_of(const LocalPes<double>& pes, std::size_t count) {
  std::vector<double> rows(count);
  pes.read_rows(rows);
  return rows;
}

TEST_F(FirstContactThreads, OneItemOfACooperativeLaunch) {
  const Program program = clears(1);
  LocalPes<double> pes({&program, 1}, 1, {.device = gpu});
  pes.use(std::span(no_panels));
  pes.copy_to_rows(0, std::vector{7.0});
  pes.solve(1, {}, 10);
  pes.wait();
  EXPECT_EQ(rows_of(pes, 1), std::vector{0.0});
  EXPECT_FALSE(pes.pe().failed());
}

// On one GPU or one for each PE.
void expect_solves(const Programs& programs, std::vector<int> devices) {
  const Index n = programs.distribution.structure->n;
  const MadeUpFactors<double> factors(*programs.distribution.structure, false);
  const AllPanels<double> panels(programs, factors);
  const VirtualPes<double> host(programs, factors, 1, 1);
  LocalPes<double> pes(programs.programs, 1, {.device = gpu, .devices = std::move(devices)});
  pes.use(std::span<const PanelSpans<double>>(panels.views));
  const auto b = random_vector<double>(usize(n), 3);
  for (int repeat = 0; repeat < 3; ++repeat)
    EXPECT_LT(largest_difference(solve_on_gpu(pes, host, programs, b, 1), factors.solve(Op::none, b)), 1e-13);
  for (std::size_t p = 0; p < programs.programs.size(); ++p)
    EXPECT_EQ(pes.pe(p).stalled().value_or(""), "") << p;
}

// Programs on a grid, of 40 rows.
void expect_solves(const distribution::ProcessGrid& grid, std::vector<int> devices) {
  expect_solves(Programs(random_structure(40, 2, 4, 1), grid, {}, Op::none, false), std::move(devices));
}

TEST_F(FirstContactThreads, OnePe) {
  expect_solves({1, 1, 1}, {0});
}

TEST_F(FirstContactThreads, FourPesOfADevice) {
  expect_solves({2, 1, 2}, {0});
}

// Groups of a block share the columns of a slab, and the slabs of some columns, where panels are that wide
// and high.
TEST_F(FirstContactThreads, WidePanelsOfPes) {
  expect_solves(Programs(random_structure(240, 2, 5, 2, 3), {2, 1, 1}, {}, Op::none, false,
                         {.width = 64, .least = 64}, plan::grain_of_gpus),
                {0});
}

TEST_F(FirstContactThreads, CompressedPanelsOfOnePe) {
  const auto all = testing_support::combinations();
  const auto of = std::ranges::find_if(all, [](const testing_support::Combination& combination) {
    return combination.in_tiles && !combination.is_complex && combination.nrhs == 1;
  });
  ASSERT_EQ(of->grid.ranks(), 1);
  testing_support::expect_solves_on_gpu<double>(*of, false);
}

// Tickets go on from one launch to the next, and from one solve to the next.
TEST_F(FirstContactThreads, StopsBetweenLaunches) {
  Program program = clears(2);
  program.boundary = {{.item = 1, .staged_message = {}}};
  LocalPes<double> pes({&program, 1}, 1, {.device = gpu});
  pes.use(std::span(no_panels));
  for (int repeat = 0; repeat < 3; ++repeat) {
    pes.copy_to_rows(0, std::vector{7.0, 8.0});
    std::vector<double> at_stop;
    pes.solve(1, {}, 10, nullptr, [&](const LaunchBoundary&) {
      pes.wait();
      at_stop = rows_of(pes, 2);
    });
    pes.wait();
    EXPECT_EQ(at_stop, (std::vector{0.0, 8.0}));
    EXPECT_EQ(rows_of(pes, 2), (std::vector{0.0, 0.0}));
  }
}

// For a message that is never sent.
Program waits_for_ever() {
  Program program;
  program.rows = 2;
  program.inbound = {{.from = 3, .address = {.row = 1, .rows = 1, .signal = 0}}};
  program.run = {{0, 1}};
  program.transfer = {{.run = {0, 1}, .comes = true, .signal = 0, .row = 1}};
  program.item = {{.action = Action::transfer, .at = 0}};
  return program;
}

TEST_F(FirstContactThreads, AWatchdogEndsAKernelThatWaitsForEver) {
  const Program program = waits_for_ever();
  LocalPes<double> pes({&program, 1}, 1, {.device = gpu});
  pes.use(std::span(no_panels));
  pes.solve(1, {}, 0.05);
  pes.wait();
  EXPECT_TRUE(pes.pe().failed());
  EXPECT_THAT(pes.pe().stalled().value_or(""), testing::HasSubstr("for rank 3"));
}

// The host ends one that no watchdog does.
TEST_F(FirstContactThreads, TheHostEndsAKernelThatWaitsForEver) {
  const Program program = waits_for_ever();
  LocalPes<double> pes({&program, 1}, 1, {.device = gpu});
  pes.use(std::span(no_panels));
  pes.solve(1, {}, 100);
  EXPECT_FALSE(pes.ended());
  pes.stop();
  pes.wait();
  EXPECT_TRUE(pes.ended());
  EXPECT_TRUE(pes.pe().failed());
  EXPECT_FALSE(pes.pe().stalled());
}

TEST_F(FirstContactThreads, StreamsOfTheCaller) {
  const Program program = clears(2);
  const backend::Stream one(gpu), other(gpu);
  LocalPes<double> first({&program, 1}, 1, {.device = gpu}), second({&program, 1}, 1, {.device = gpu});
  for (LocalPes<double>* pes : {&first, &second}) {
    pes->use(std::span(no_panels));
    pes->copy_to_rows(0, std::vector{7.0, 8.0});
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    first.solve(1, {}, 10, one.get());
    second.solve(1, {}, 10, other.get());
  }
  first.wait(one.get());
  second.wait(other.get());
  for (const LocalPes<double>* pes : {&first, &second}) EXPECT_EQ(rows_of(*pes, 2), (std::vector{0.0, 0.0}));
}

TEST_F(FirstContactThreads, PesOfADeviceEach) {
  if (backend::runtime(gpu).count() < 4) GTEST_SKIP() << "fewer than four GPUs: peers are not tested";
  expect_solves({2, 1, 2}, {0, 1, 2, 3});
}

TEST(FirstContactWithoutGpu, SaysWhyThereIsNone) {
  if (backend::runtime(gpu).count() > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT([] { backend::require_device(gpu); },
              testing::ThrowsMessage<Error>(testing::HasSubstr(backend::runtime(gpu).obstacle())));
}

}  // namespace
}  // namespace trisweep::device
