// The kernel on a GPU, beside the same source on the host: one PE, and several that share the device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/gpu/on_gpu.hpp"
#include "device/measured_parts.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::device {
namespace {

using testing_support::AllPanels;
using testing_support::Gpu;
using testing_support::gpu;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_structure;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::solve_on_gpu;
using testing_support::VirtualPes;

template <Scalar T>
void expect_as_on_the_host(const distribution::ProcessGrid& grid, int whole_levels) {
  const auto structure = random_structure(300, 2, 8, whole_levels);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const Programs programs(structure, grid, {}, op, false);
    const MadeUpFactors<T> factors(*programs.distribution.structure, false);
    const AllPanels<T> panels(programs, factors);
    VirtualPes<T> host(programs, factors, 1, 50);
    LocalPes<T> pes(programs.programs, 50, {.device = gpu});
    pes.use(std::span<const PanelSpans<T>>(panels.views));
    for (const Index nrhs : {50, 7, 1}) {
      show_life();
      const auto b = random_vector<T>(usize(structure.n) * usize(nrhs), 3);
      const auto x = solve_on_gpu(pes, host, programs, b, nrhs);
      const auto expected = host.solve(b, nrhs);
      EXPECT_LT(largest_difference(x, expected) / largest_magnitude(expected),
                100 * std::numeric_limits<RealOf<T>>::epsilon())
          << grid.name() << " op " << char(op) << " nrhs " << nrhs;
      EXPECT_EQ(solve_on_gpu(pes, host, programs, b, nrhs), x) << "not the same every time";
    }
  }
}

TEST_F(Gpu, SolvesAsTheHostDoes) {
  for (const distribution::ProcessGrid grid :
       {distribution::ProcessGrid{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 4}, {2, 2, 2}}) {
    for (const int whole_levels : {0, 2}) {
#define EXPECT_AS_ON_THE_HOST(T) expect_as_on_the_host<T>(grid, whole_levels);
      TRISWEEP_FOR_EACH_SCALAR(EXPECT_AS_ON_THE_HOST)
#undef EXPECT_AS_ON_THE_HOST
    }
  }
}

// Answers where they lie on the device, against sums written out; the same every time.
TEST_F(Gpu, MeasuresAnswers) {
  constexpr Index nrhs = 3;
  const auto a = testing_support::random_matrix<double>({.n = 700, .per_row = 3, .seed = 3});
  const auto x = random_vector<double>(700 * nrhs, 1), b = random_vector<double>(700 * nrhs, 2);
  for (const Index pes : {1, 4}) {
    testing_support::MeasuredParts<double> parts(a, pes, nrhs);
    const DeviceArray<double> x_there(gpu, x.size()), b_there(gpu, x.size()), residual(gpu, x.size()),
        magnitude(gpu, x.size());
    backend::copy(gpu, x_there.data(), x.data(), x.size());
    backend::copy(gpu, b_there.data(), b.data(), b.size());
    std::vector<PeData<double>> data(usize(pes));
    std::vector<PeVectors<double>> vectors(usize(pes));
    for (Index p = 0; p < pes; ++p) {
      const Index first = parts.partition.first(p), rows = parts.partition.count(p);
      data[usize(p)].measuring = parts.measuring(p);
      data[usize(p)].measuring.residual = residual.data() + first * nrhs;
      data[usize(p)].measuring.magnitude = magnitude.data() + first * nrhs;
      vectors[usize(p)].b = {x_there.data() + first, rows, nrhs, 700, MemorySpace::device};
      vectors[usize(p)].base = {b_there.data() + first, rows, nrhs, 700, MemorySpace::device};
    }
    const std::vector<PanelsBySide<NoPanels>> no_panels(usize(pes));
    LocalPes<double> on_gpu(parts.programs, nrhs, {.device = gpu, .data = data});
    on_gpu.use(std::span<const PanelsBySide<NoPanels>>(no_panels));
    const auto expected = parts.expected(x, b, nrhs);
    for (int repeat = 0; repeat < 3; ++repeat) {
      on_gpu.solve(nrhs, vectors, 10);
      on_gpu.wait();
      std::vector<double> found(expected.size());
      on_gpu.read_rows(found, usize(parts.programs[0].verdict) * nrhs);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i] / expected[i / nrhs + i % nrhs * Norm::count], 1, 1e-12) << i;
    }
  }
}

// A block for each item, started in their order, where one PE has all of them.
TEST_F(Gpu, BlocksWithAnItemEachSolveAsWell) {
  const Programs programs(random_structure(300, 2, 8, 2), {1, 1, 1}, {}, Op::none, false);
  const MadeUpFactors<double> factors(*programs.distribution.structure, false);
  const AllPanels<double> panels(programs, factors);
  const VirtualPes<double> host(programs, factors, 1, 1);
  LocalPes<double> pes(programs.programs, 1, {.device = gpu, .scheduling = Scheduling::block_for_each});
  pes.use(std::span<const PanelSpans<double>>(panels.views));
  const auto b = random_vector<double>(300, 3);
  const auto expected = factors.solve(Op::none, b);
  EXPECT_LT(largest_difference(solve_on_gpu(pes, host, programs, b, 1), expected), 1e-12);
}

// PEs on devices of their own, which the others reach.
void expect_devices_solve(const distribution::ProcessGrid& grid, Scheduling scheduling, Index n, int times) {
  if (backend::runtime(gpu).count() < 2) GTEST_SKIP() << "one GPU: peers are not tested";
  const Programs programs(random_structure(n, 2, 8, 2), grid, {}, Op::none, false);
  const MadeUpFactors<double> factors(*programs.distribution.structure, false);
  const AllPanels<double> panels(programs, factors);
  const VirtualPes<double> host(programs, factors, 1, 1);
  LocalPes<double> pes(programs.programs, 1, {.device = gpu, .devices = {0, 1}, .scheduling = scheduling});
  pes.use(std::span<const PanelSpans<double>>(panels.views));
  const auto b = random_vector<double>(usize(n), 3);
  const auto expected = factors.solve(Op::none, b);
  for (int repeat = 0; repeat < times; ++repeat)
    EXPECT_LT(largest_difference(solve_on_gpu(pes, host, programs, b, 1), expected), 1e-12);
}

TEST_F(Gpu, DevicesExchangeSegments) {
  expect_devices_solve({2, 1, 2}, Scheduling::tickets, 300, 10);
}

// A block of each device takes its messages, beside those with an item each.
TEST_F(Gpu, ABlockTakesTheMessagesOfOthers) {
  expect_devices_solve({2, 1, 1}, Scheduling::block_for_each, 40, 2);
}

TEST(GpuWithoutOne, IsSaid) {
  if (backend::runtime(gpu).count() > 0) GTEST_SKIP() << "there is a GPU";
  const Programs programs(random_structure(40, 1), {1, 1, 1}, {}, Op::none, false);
  EXPECT_THROW((LocalPes<double>{programs.programs, 1, {.device = gpu}}), Error);
}

}  // namespace
}  // namespace trisweep::device
