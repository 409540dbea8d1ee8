// Memory of a rank that factors and solves a 3D Poisson problem, of which it makes its own rows.
//
//   mpirun -n 4 factor_memory N own|supernodes|superlu-dist [KIND]       supernodes: ours, and no inverted
//   separators
//
// Prints a line: for each rank the peak of its resident memory above what it had before, in bytes; the most
// addresses of a rank, in bytes; and the backward error.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solver.hpp"
#include "trisweep/superlu_dist/engine.hpp"

namespace {

using namespace trisweep;

// In bytes.
double status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

solve::BlockRows<double> poisson(Index side, Index rank, Index ranks) {
  const Index n = side * side * side, first = n / ranks * rank,
              end = rank + 1 == ranks ? n : n / ranks * (rank + 1);
  matrix::Csr<double> a{{end - first, n, {0}, {}}, {}};
  for (Index i = first; i < end; ++i) {
    const Index place[3] = {i / (side * side), i / side % side, i % side}, step[3] = {side * side, side, 1};
    const auto add = [&](Index j, double v) {
      a.pattern.col.push_back(j);
      a.value.push_back(v);
    };
    for (int d = 0; d < 3; ++d) {
      if (place[d] > 0) add(i - step[d], -1);
    }
    add(i, 6);
    for (int d = 2; d >= 0; --d) {
      if (place[d] + 1 < side) add(i + step[d], -1);
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  return {.a = std::move(a)};
}

model::PlanAxes axes_of_supernodes(Index ranks) {
  model::PlanAxes axes = model::all_axes(ranks, {"two-sided"});
  axes.diagonal = {"supernodes"};
  return axes;
}

int run(Index side, const std::string& factorization, const std::string& kind) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const double before = status("VmRSS");
  solve::SolverOptions options{.kind = numeric::find_kind_choice(kind)};
  if (factorization == "supernodes") options.plan = axes_of_supernodes(world.size());
  if (factorization == "ptscotch") options.ordering = ordering::Method::ptscotch;
  if (factorization == "superlu-dist") options.factorization = superlu_dist::engine();
  options.second_try = false;
  Solver<double> solver(MPI_COMM_WORLD, poisson(side, world.rank(), world.size()), options);
  const std::vector<double> b(usize(solver.rows()), 1.0);
  std::vector<double> x(b.size());
  const auto answer = solver.solve(b, x);
  const auto peaks = world.gather(status("VmHWM") - before);
  const double addresses = world.max(status("VmPeak"));
  if (world.rank() == 0)
    fmt::print("{{\"peaks\": [{:.0f}], \"addresses\": {:.0f}, \"backward_error\": {:.2e}}}\n",
               fmt::join(peaks, ", "), addresses, answer.error.componentwise);
  return answer.solved() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    if (argc == 3 || argc == 4) status = run(std::stoi(argv[1]), argv[2], argc == 4 ? argv[3] : "lu");
  } catch (const mpi::CollectiveError& e) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "%s\n", e.what());
  }
  MPI_Finalize();
  return status;
}
