// Solves a Poisson problem on a 3D grid with Trisweep's three objects: analyze -> factor -> solver.
// Run it with four ranks: mpirun -n 4 ./solve_poisson

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "trisweep/matrix/gallery.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace ts = trisweep;

namespace {

// Solves A x = (1, ..., 1) and returns the backward error of x, componentwise.
double solve_poisson(MPI_Comm comm, ts::Index rank) {
  // One rank has the matrix and factors it.
  ts::matrix::Csr<double> a;
  std::shared_ptr<const ts::solve::Factorization<double>> factorization;
  if (rank == 0) {
    a = std::get<ts::matrix::Csr<double>>(ts::matrix::gallery("poisson3d", {.n = 12}));
    auto analysis = std::make_shared<const ts::solve::Analysis>(ts::solve::analyze(a));
    auto factors = ts::solve::factor<double>(a, analysis);
    factorization = std::make_shared<const ts::solve::Factorization<double>>(std::move(factors));
  }

  // All ranks solve, as often as they like; each has its own rows of A, b and x.
  ts::solve::TriangularSolver<double> solver(comm, factorization, {.grid = {.px = 2, .py = 1, .pz = 2}});
  ts::krylov::DistributedMatrix<double> matrix(comm, rank == 0 ? &a : nullptr, solver.partition());
  const ts::Index rows = solver.partition().count(rank);
  std::vector<double> b(ts::usize(rows), 1.0);
  std::vector<double> x(ts::usize(rows));
  ts::solve::RefinedSolver<double, double> refined(matrix, solver);
  return refined.solve(ts::Op::none, {b.data(), rows, 1}, {x.data(), rows, 1}, {}).error.componentwise;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try {
    const double error = solve_poisson(MPI_COMM_WORLD, rank);
    if (rank == 0) std::printf("backward error %.1e\n", error);
    status = error <= 1e-13 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 2);  // the others may be waiting for this rank
  }
  MPI_Finalize();
  return status;
}
