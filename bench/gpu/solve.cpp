// gpu_solve KIND N: solves with the factors of a gallery matrix on a GPU, as rows of a table in Markdown:
// with 1 and 50 right-hand sides, compared with the time of copying the factors' bytes within its memory;
// with a block for each item instead of tickets, and for each supernode as published (SC'23, Algorithm 4);
// with several virtual PEs; and solves of other libraries.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "solve_peers.hpp"
#include "system.hpp"

namespace trisweep::bench {
namespace {

constexpr Index many = 50;

void print_row(const System& system, const std::string& what, Index nrhs, double seconds, double floor,
               double error) {
  fmt::print("| {} | {} | {} | {:.3f} | {:.0f}% | {:.4f} | {:.1e} |\n", system.name, what, nrhs,
             seconds * 1e3, 100 * floor / seconds, seconds * 1e3 / nrhs, error);
  std::fflush(stdout);
}

// Prints the time of each phase, for one right-hand side.
void print_phases(const System& system, const device::Program& program, const Pes::ResidualView& measured) {
  fmt::print("\n{}: ", system.name);
  device::Count end = measured.times.back();
  for (std::size_t p = program.part.size(); p-- > 0;) {
    const device::Count begin = measured.times[p] == 0 ? end : measured.times[p];
    fmt::print("{}phase {} {:.1f} us", p + 1 == program.part.size() ? "" : ", ", p,
               double(end - begin) * 1e-3);
    end = begin;
  }
  fmt::print(" of {:.1f} us\n\n", measured.seconds * 1e6);
}

bool measure(const std::string& kind, Index n) {
  const System system(kind, n, many);
  const double floor = system.bytes_read() / copy_bandwidth();
  bool right = true;
  const auto report = [&](const std::string& what, Index nrhs, double seconds, double error) {
    print_row(system, what, nrhs, seconds, floor, error);
    right = right && error < 1e-10;
  };
  fmt::print("\n{}: {:.3f} GB of factors, {:.3f} ms at the bandwidth of a copy\n\n", system.name,
             system.bytes_read() * 1e-9, floor * 1e3);
  fmt::print("| matrix | solver | right-hand sides | ms | of the bandwidth | ms each | backward error |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  for (const Index pz : {1, 2, 4, 8}) {
    const Pes pes(system, {1, 1, pz});
    for (const Index nrhs : {Index{1}, many}) {
      const auto measured = pes.solve(nrhs);
      report(pz == 1 ? "trisweep" : fmt::format("{} virtual PEs", pz), nrhs, measured.seconds,
             measured.backward_error);
    }
  }
  const Pes alone(system, {1, 1, 1});
  const auto blocks = alone.solve(1, device::Scheduling::block_for_each);
  report("a block for each item", 1, blocks.seconds, blocks.backward_error);
  {
    const System supernodes(kind, n, many, model::PlanChoice{}.diagonal);
    const Pes published(supernodes, {1, 1, 1}, plan::grain_of_supernodes);
    for (const Index nrhs : {Index{1}, many}) {
      const auto measured = published.solve(nrhs, device::Scheduling::block_for_each);
      report("a block for each supernode", nrhs, measured.seconds, measured.backward_error);
    }
  }
  measure_peers(system, report);
  print_phases(system, alone.program(0), alone.solve(1));
  return right;
}

}  // namespace
}  // namespace trisweep::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: gpu_solve KIND N\n");
    return 2;
  }
  if (!trisweep::bench::has_gpu()) {
    fmt::print("no GPU: {} n {} is not measured\n", argv[1], argv[2]);
    return 0;
  }
  return trisweep::bench::measure(argv[1], std::atoi(argv[2])) ? 0 : 1;
}
