// gpu_solve KIND N NRHS: one solve with the factors of a gallery matrix on a GPU, beside the time that a copy
// of the factors' bytes within its memory takes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "trisweep/core/clock.hpp"
#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/host_pe.hpp"
#include "trisweep/distribution/distribution.hpp"
#include "trisweep/matrix/gallery.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep {
namespace {

using Panels = device::PanelSpans<double>;

// A single rank stores the factors as they are.
Panels panels_of(const numeric::Factors<double>& factors) {
  return {factors.lower.span(), factors.upper.span(), factors.diagonal.span()};
}

// By the same source on the host.
std::vector<double> solve_on_host(const device::Program& program, const Panels& panels,
                                  std::vector<double> rows, Index nrhs) {
  auto memory =
      zeros<std::byte>(device::shared_layout(program, 1).bytes<double>(nrhs), "the right-hand sides");
  device::HostPe<double> pe(program, 1, 1, nrhs, memory.data());
  std::ranges::copy(rows, pe.rows());
  pe.work(std::span(&pe.memory(), 1), std::array{panels[0].data(), panels[1].data(), panels[2].data()},
          pe.next(nrhs, 0), 0, device::HostBlock{});
  std::copy_n(pe.rows(), rows.size(), rows.begin());
  return rows;
}

int measure(const std::string& kind, Index n, Index nrhs) {
  const auto a = std::get<matrix::Csr<double>>(matrix::gallery(kind, {.n = n}));
  const auto analysis = std::make_shared<const solve::Analysis>(solve::analyze(a, {}));
  const auto made = solve::factor<double>(a, analysis);
  const auto structure = made.factors->structure;
  const auto mapping = distribution::find_mapping("block-cyclic").make(*structure, {1, 1, 1});
  const auto rank =
      std::move(plan::make_all_plans(*structure, *mapping, plan::single_sync,
                                     {.upper_is_lower = made.factors->kind == numeric::Kind::cholesky},
                                     {.ordered = true})
                    .front());
  const auto program = device::make_program(*structure, rank.share, rank.plan);
  const Panels panels = panels_of(*made.factors);

  std::vector<double> rows(usize(rank.share.work_rows()) * usize(nrhs));
  std::mt19937_64 random(1);
  for (double& value : rows) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  device::GpuPes<double> gpu({&program, 1}, std::span(&panels, 1), nrhs);
  std::vector<double> seconds, x(rows.size());
  for (int repeat = 0; repeat < 20; ++repeat) {
    gpu.copy_to_rows(0, rows);
    const auto start = Clock::now();
    gpu.solve(nrhs, {}, 10);
    gpu.wait();
    seconds.push_back(seconds_since(start));
  }
  gpu.copy_from_rows(0, x);
  const auto expected = solve_on_host(program, panels, rows, nrhs);
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - expected[i]);
    if (!(difference <= error)) error = difference;
    largest = std::max(largest, std::abs(expected[i]));
  }
  std::ranges::sort(seconds);
  const double median = seconds[seconds.size() / 2];
  // A copy reads and writes; Cholesky's factor is read by both sweeps.
  const double bytes =
      double(made.factors->bytes()) +
      (made.factors->upper.size() == 0 ? double(made.factors->lower.size() * sizeof(double)) : 0);
  const double floor = bytes / device::gpu_copy_bandwidth();
  fmt::print(
      "{} n {} nrhs {}: {:.3f} ms, {:.3f} GB of factors at copy bandwidth {:.3f} ms ({:.0f}%), "
      "differs from the host by {:.1e}\n",
      kind, n, nrhs, median * 1e3, bytes * 1e-9, floor * 1e3, 100 * floor / median, error / largest);
  return error <= 1e-10 * largest ? 0 : 1;
}

}  // namespace
}  // namespace trisweep

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: gpu_solve KIND N NRHS\n");
    return 2;
  }
  if (!trisweep::device::gpu_name()) {
    fmt::print("no GPU: {} n {} nrhs {} is not measured\n", argv[1], argv[2], argv[3]);
    return 0;
  }
  return trisweep::measure(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
}
