// Solves a Poisson problem on a 3D grid, of which every rank makes some rows: unevenly, and the second rank
// none. Run it with any number of ranks: mpirun -n 4 ./solve_poisson

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "trisweep/solver.hpp"

namespace {

using trisweep::Index;

// Planes [begin, end) of the first direction, of n x n points each: rows of the seven-point Laplacian.
trisweep::BlockRows<double> poisson_rows(Index n, Index begin, Index end) {
  trisweep::BlockRows<double> rows;
  auto& [row_count, columns, row_ptr, col] = rows.a.pattern;
  row_count = (end - begin) * n * n;
  columns = n * n * n;
  for (Index i = begin; i < end; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        const Index center = (i * n + j) * n + k;
        const auto entry = [&](bool inside, Index column, double value) {
          if (!inside) return;
          col.push_back(column);
          rows.a.value.push_back(value);
        };
        entry(i > 0, center - n * n, -1);
        entry(j > 0, center - n, -1);
        entry(k > 0, center - 1, -1);
        entry(true, center, 6);
        entry(k + 1 < n, center + 1, -1);
        entry(j + 1 < n, center + n, -1);
        entry(i + 1 < n, center + n * n, -1);
        row_ptr.push_back(static_cast<trisweep::Offset>(col.size()));
      }
  return rows;
}

// The planes of this rank: a third of what the ranks before it have left, the last all that is left.
trisweep::BlockRows<double> my_rows(MPI_Comm comm, Index n) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Index begin = 0, end = 0;
  for (int r = 0; r <= rank; ++r) {
    begin = end;
    end = r + 1 == ranks ? n : r == 1 ? begin : begin + (n - begin) / 3;
  }
  return poisson_rows(n, begin, end);
}

// Solves A x = (1, ..., 1); returns whether x may be believed.
bool solve_poisson(MPI_Comm comm) {
  auto rows = my_rows(comm, 12);
  std::vector<double> b(rows.a.pattern.rows, 1.0), x(b.size());
  trisweep::Solver<double> solver(comm, std::move(rows));  // analyzes, chooses a plan, factors
  const auto answer = solver.solve(b, x);                  // refined and judged
  std::printf("%zu rows, backward error %.1e\n", x.size(), answer.error.componentwise);
  return answer.solved();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = solve_poisson(MPI_COMM_WORLD) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 2);  // another rank may be waiting for this one
  }
  MPI_Finalize();
  return status;
}
