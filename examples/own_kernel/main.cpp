// Smooths values at scattered points (kriging with noise): solves (C + I) w = v, where C is the covariance of
// the points, a dense matrix that is never formed. Run it with any number of ranks: mpirun -n 4 ./own_kernel

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "trisweep/hmatrix.hpp"

namespace {

using namespace trisweep;
using hmatrix::Point;

std::vector<Point> points_on_a_spiral(Index n) {
  std::vector<Point> points;
  for (Index i = 0; i < n; ++i) {
    const double height = 1 - 2 * (i + 0.5) / n, angle = 2.4 * i, radius = std::sqrt(1 - height * height);
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
  }
  return points;
}

bool smooth(MPI_Comm mpi_comm) {
  const std::vector<Point> points = points_on_a_spiral(3000);
  // The matrix, entry by entry: all that the library has to know of it.
  const auto entry = [&](Index i, Index j) {
    return std::exp(-2 * length(points[i] - points[j])) + (i == j ? 1 : 0);
  };

  const mpi::Communicator comm(mpi_comm);
  ThreadPool pool(2);  // threads of each rank
  hmatrix::HMatrix<double> a({comm, pool}, entry, hmatrix::make_cluster_tree(points, 32),
                             {.compression = {.eps = 1e-6}});
  // This rank's rows of vectors, in the order of the tree.
  std::vector<double> v, w(a.local_rows());
  for (Index i = 0; i < a.local_rows(); ++i) {
    const Index row = a.partition().first(comm.rank()) + i;
    v.push_back(std::sin(5 * points[a.tree().order[row]][2]));
  }
  const krylov::Identity no_preconditioner;
  const auto result =
      krylov::bicgstab<double>({comm, pool}, {a, no_preconditioner}, v, w, {.tolerance = 1e-8});
  if (comm.rank() == 0) {
    const auto& made = a.statistics();
    std::printf("%d points, %.1f %% of the dense matrix, residual %.1e after %d iterations\n",
                a.tree().size(), 100.0 * double(made.bytes) / (8.0 * a.tree().size() * a.tree().size()),
                result.front().residual, result.front().iterations);
  }
  return result.front().outcome == krylov::Outcome::converged;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = smooth(MPI_COMM_WORLD) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 2);  // another rank may be waiting for this one
  }
  MPI_Finalize();
  return status;
}
