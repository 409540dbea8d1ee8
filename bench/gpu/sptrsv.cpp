// gpu_sptrsv KIND N, or FILE: solves with a triangular matrix on a GPU by every algorithm and by cuSPARSE,
// with 1 and 32 right-hand sides in its memory, and by every design for several PEs, as rows of a table in
// Markdown. For a matrix that is not triangular, uses the L of its ILU(0). An analysis begins with the matrix
// in host memory (ours) or device memory (cuSPARSE's).

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device.hpp"
#include "gallery/gallery.hpp"
#include "lower_triangle.hpp"
#include "sptrsv_peers.hpp"
#include "studies/pes/device_pes.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/sptrsv/backward_error.hpp"
#include "trisweep/sptrsv/device_solver.hpp"

namespace trisweep::bench {
namespace {

void measure_ours(const SptrsvCase& one, std::string_view algorithm) {
  const auto start = Clock::now();
  sptrsv::DeviceSolver<double> solver(one.lower, {}, Op::none,
                                      {.device = gpu, .algorithm = std::string(algorithm)});
  const double analysis = seconds_since(start);
  const backend::DeviceArray<double> b(gpu, one.b.size()), x(gpu, one.b.size());
  backend::copy(gpu, b.data(), one.b.data(), b.size());
  const Index rows = one.lower.rows();
  const double solve = median_seconds([&] {
    solver.solve({b.data(), rows, one.nrhs(), rows, MemorySpace::device},
                 {x.data(), rows, one.nrhs(), rows, MemorySpace::device});
  });
  std::vector<double> solution(one.b.size());
  backend::copy(gpu, solution.data(), x.data(), x.size());
  one.report(fmt::format("{}, {} lanes", algorithm, solver.choice().plan.lanes), analysis, solve, solution);
}

// On all available GPUs, or by virtual PEs that share one.
void measure_design(const SptrsvCase& one, const studies::NamedDesign& design) {
  constexpr int pes = 4;
  const auto start = Clock::now();
  studies::DevicePes<double> solver(sptrsv::lower_system(one.lower, {}, Op::none), design,
                                    {.device = gpu, .layout = {.pes = pes}});
  const double analysis = seconds_since(start);
  std::vector<double> solution(one.b.size()), seconds;
  studies::PeReport report;
  for (int repeat = 0; repeat < 5; ++repeat) {
    report = solver.solve(one.b, solution);
    seconds.push_back(report.seconds);
  }
  std::ranges::sort(seconds);
  one.report(fmt::format("{}, {} PEs on {} GPUs: {:.3g} MB, {:.0f}% idle", design.name, pes,
                         std::min(pes, backend::runtime(gpu).count()), 1e-6 * double(report.total().bytes),
                         100 * report.idle_share()),
             analysis, seconds[seconds.size() / 2], solution);
}

bool measure(const std::string& file, const matrix::Csr<double>& a) {
  const auto lower = lower_of(a);
  const auto system = sptrsv::lower_system(lower, {}, Op::none);
  const double bandwidth = copy_bandwidth();
  bool right = true;
  fmt::print(
      "\n| matrix | solver | right-hand sides | analysis, ms | solve, ms | of the bandwidth | error |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  for (const Index nrhs : {1, 32}) {
    const std::vector<double> b(usize(lower.rows()) * usize(nrhs), 1.0);
    const double floor = double(sptrsv::bytes_of_solve(lower)) / bandwidth;
    const SptrsvCase one{lower, b,
                         [&](const std::string& what, double analysis, double solve, const auto& x) {
                           const double error = sptrsv::backward_error<double>(
                               system, {b.data(), lower.rows(), nrhs}, {x.data(), lower.rows(), nrhs});
                           right = right && error < 1e-10;
                           fmt::print("| {} | {} | {} | {:.3f} | {:.4f} | {:.0f}% | {:.1e} |\n", file, what,
                                      nrhs, 1e3 * analysis, 1e3 * solve, 100 * floor / solve, error);
                         }};
    measure_ours(one, sptrsv::automatic);
    for (const auto& algorithm : sptrsv::device_algorithms()) measure_ours(one, algorithm.name);
    measure_cusparse(one);
    if (nrhs > 1) continue;  // the designs solve for one after the other
    for (const auto& design : studies::designs()) measure_design(one, design);
  }
  return right;
}

}  // namespace
}  // namespace trisweep::bench

int main(int argc, char** argv) {
  using namespace trisweep;
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "usage: gpu_sptrsv KIND N | gpu_sptrsv FILE\n");
    return 2;
  }
  if (!bench::has_gpu()) {
    fmt::print("no GPU: {} is not measured: {}\n", argv[1], backend::runtime(bench::gpu).obstacle());
    return 0;
  }
  Observer silent;
  const auto a = argc == 3 ? gallery::make_matrix(argv[1], {.n = std::atoi(argv[2])})
                           : matrix::read_matrix(argv[1], silent);
  const std::string name = argc == 3 ? fmt::format("{} {}", argv[1], argv[2]) : argv[1];
  return bench::measure(name, std::get<matrix::Csr<double>>(a)) ? 0 : 1;
}
