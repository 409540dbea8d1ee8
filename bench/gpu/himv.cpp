// gpu_himv OBJECT N EPS: products with an H-matrix on a GPU, as rows of a table in Markdown: the merged
// kernel and every way to launch batches, compared with the time of copying the panels' bytes within its
// memory, and with cuBLAS if the build has it.

#include <fmt/format.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/bem/conductors.hpp"
#include "apps/bem/single_layer.hpp"
#include "cublas.hpp"
#include "device.hpp"
#include "studies/himv/launch_runner.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::bench {
namespace {

using studies::GemvCut;
using studies::GemvOptions;
using studies::GemvOrder;
using studies::GemvSum;

struct Choice {
  const char* name;
  GemvOptions options;
};

std::vector<Choice> choices() {
  return {{"merged kernel", {.merged = true}},
          {"unsorted, 20,000 in a batch", {.order = GemvOrder::as_they_come, .cut = GemvCut::count}},
          {"by rows, 20,000 in a batch", {.order = GemvOrder::rows, .cut = GemvCut::count}},
          {"by rows in eights, 20,000 in a batch", {.cut = GemvCut::count}},
          {"ranges of rows, 1 stream", {}},
          {"ranges of rows, 2 streams", {.streams = 2}},
          {"ranges of rows, 3 streams", {.streams = 3}},
          {"padded, 5,000 in a batch", {.cut = GemvCut::count, .count = 5000, .padded = true}},
          {"blocks of rows, no atomics", {.sum = GemvSum::row_blocks}}};
}

// Time of a product's kernels alone: vectors stay on the device.
double seconds_of(device::KernelRunner<double>& runner, const std::vector<double>& x,
                  std::vector<double>& y) {
  runner.multiply(x, y);
  return median_seconds([&] { runner.run(); });
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]);
    if (!(error <= largest)) largest = error;  // keeps NaN
    size = std::max(size, std::abs(b[i]));
  }
  return largest / size;
}

bool measure(const std::string& object, Index n, double eps) {
  const mpi::Communicator self(MPI_COMM_SELF);
  ThreadPool pool(1);
  const auto conductors = bem::make_object(object, {.triangles = n});
  const bem::SingleLayer kernel(conductors.mesh, 1);
  hmatrix::HMatrix<double> a({self, pool}, kernel, make_cluster_tree(centroids(conductors.mesh), 32),
                             {.compression = {.eps = eps}});
  const std::vector<double> x(usize(a.local_rows()), 1.0);
  std::vector<double> y(x.size()), expected(x.size());
  a(x, expected);
  const double bytes = double(a.statistics().bytes), floor = 2 * bytes / copy_bandwidth();
  fmt::print("\n{}: {:.1f} MB of panels, {:.3f} ms at the bandwidth of a copy\n\n", conductors.name,
             bytes * 1e-6, floor * 0.5e3);
  fmt::print("| product | launches | ms | of the bandwidth | off the host's |\n|---|---:|---:|---:|---:|\n");
  bool right = true;
  const auto report = [&](const std::string& what, Offset launches, double seconds, double error) {
    fmt::print("| {} | {} | {:.3f} | {:.0f}% | {:.1e} |\n", what, launches, seconds * 1e3,
               50 * floor / seconds, error);
    std::fflush(stdout);
    right = right && error < 1e-10;
  };
  const device::GemvTasks tasks = a.device_tasks();
  for (const Choice& choice : choices()) {
    studies::LaunchPlan plan = studies::make_launch_plan(tasks, choice.options);
    const Offset launches = studies::count_gemv(plan).launches;
    const auto runner = studies::run_launches<double>(std::move(plan), gpu, pool);
    const double seconds = seconds_of(*runner, x, y);
    report(choice.name, launches, seconds, largest_difference(y, expected));
  }
  measure_cublas(tasks, [&](const std::string& what, Offset launches, double seconds) {
    report(what, launches, seconds, 0);
  });
  return right;
}

// True if MPI starts: it ends the process if its own files are missing, as on a machine with only a driver.
// Tested in a child process, whose output is discarded.
bool mpi_starts() {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
    MPI_Init(nullptr, nullptr);
    MPI_Finalize();
    std::_Exit(0);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace
}  // namespace trisweep::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: gpu_himv OBJECT N EPS\n");
    return 2;
  }
  if (!trisweep::bench::mpi_starts()) {
    fmt::print(
        "no MPI: {} n {} is not measured; its files are missing, or OPAL_PREFIX is to name their folder\n",
        argv[1], argv[2]);
    return 0;
  }
  if (!trisweep::bench::has_gpu()) {
    fmt::print("no GPU: {} n {} is not measured\n", argv[1], argv[2]);
    return 0;
  }
  MPI_Init(&argc, &argv);
  const bool right = trisweep::bench::measure(argv[1], std::atoi(argv[2]), std::atof(argv[3]));
  MPI_Finalize();
  return right ? 0 : 1;
}
