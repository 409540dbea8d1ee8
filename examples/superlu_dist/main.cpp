// A program that factors with SuperLU_DIST, on its own 2D process grid, and solves with Trisweep: the
// factors go from the ranks that have them to those that need them, and nothing else changes.
//
//   mpirun -n 4 superlu_dist_solve [N] [PROCESS ROWS]
//
// The system: convection and diffusion in a cube of N^3 points. Prints the times of both solves, and fails
// where their solutions differ.

#include <superlu_ddefs.h>

// Its headers define these as macros.
#undef SLU_MAX
#undef SLU_MIN

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "trisweep/superlu_dist.hpp"

namespace {

constexpr int repeats = 5;

// Rows [first, first + rows) of the matrix, as SuperLU_DIST has them.
struct Rows {
  int n, first, rows;
  std::vector<int_t> row_ptr{0}, col{};
  std::vector<double> value{};
};

Rows convection(int side, int rank, int ranks) {
  const int n = side * side * side, first = n / ranks * rank;
  Rows a{n, first, rank + 1 == ranks ? n - first : n / ranks};
  for (int i = first; i < first + a.rows; ++i) {
    const int place[3] = {i / (side * side), i / side % side, i % side}, step[3] = {side * side, side, 1};
    const auto add = [&](int j, double v) {
      a.col.push_back(j);
      a.value.push_back(v);
    };
    for (int d = 0; d < 3; ++d) {
      if (place[d] > 0) add(i - step[d], -1.3);
    }
    add(i, 6.5);
    for (int d = 2; d >= 0; --d) {
      if (place[d] + 1 < side) add(i + step[d], -0.7);
    }
    a.row_ptr.push_back(static_cast<int_t>(a.col.size()));
  }
  return a;
}

// It frees what it is given.
template <class V>
V* copy_of(const std::vector<V>& list) {
  auto* copy = static_cast<V*>(SUPERLU_MALLOC(list.size() * sizeof(V)));
  std::copy(list.begin(), list.end(), copy);
  return copy;
}

// SuperLU_DIST's factorization and solve, as programs have them.
class Factorization {
 public:
  Factorization(const Rows& a, int process_rows, int process_columns) : rows_(a.rows) {
    superlu_gridinit(MPI_COMM_WORLD, process_rows, process_columns, &grid);
    set_default_options_dist(&options_);
    options_.PrintStat = NO;
    options_.IterRefine = NOREFINE;
    dCreate_CompRowLoc_Matrix_dist(&a_, a.n, a.n, static_cast<int_t>(a.value.size()), a.rows, a.first,
                                   copy_of(a.value), copy_of(a.col), copy_of(a.row_ptr), SLU_NR_loc, SLU_D,
                                   SLU_GE);
    dScalePermstructInit(a.n, a.n, &permutation);
    dLUstructInit(a.n, &lu);
    PStatInit(&stat_);
    std::vector<double> x(static_cast<std::size_t>(a.rows), 1);
    solve(x);  // its first call factors
    options_.Fact = FACTORED;
  }
  // In place.
  void solve(std::vector<double>& x) {
    double error = 0;
    int info = 0;
    pdgssvx(&options_, &a_, &permutation, x.data(), rows_, 1, &grid, &lu, &solve_, &error, &stat_, &info);
    if (info != 0) std::abort();
  }

  gridinfo_t grid{};
  dScalePermstruct_t permutation{};
  dLUstruct_t lu{};

 private:
  int rows_;
  superlu_dist_options_t options_{};
  SuperMatrix a_{};
  dSOLVEstruct_t solve_{};
  SuperLUStat_t stat_{};
};

// The fastest of several, of the slowest rank.
template <class Work>
double seconds(const Work& work) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    double time = -MPI_Wtime();
    work();
    time += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = std::min(best, time);
  }
  return best;
}

int solve_both(int side, int process_rows) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Rows a = convection(side, rank, ranks);
  Factorization factored(a, process_rows, ranks / process_rows);
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1);

  const double start = MPI_Wtime();
  trisweep::BlockRows<double> rows{
      .a = {.pattern = {a.rows, a.n, {a.row_ptr.begin(), a.row_ptr.end()}, {a.col.begin(), a.col.end()}},
            .value = a.value}};
  trisweep::Solver<double> solver(
      MPI_COMM_WORLD, std::move(rows), {},
      trisweep::superlu_dist_factors(a.n, factored.permutation, factored.lu, factored.grid));
  const double setup = MPI_Wtime() - start;

  std::vector<double> theirs = b, x(b.size());
  factored.solve(theirs);
  const auto answer = solver.solve(b, x);  // the line that changes

  double difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) difference = std::fmax(difference, std::abs(x[i] - theirs[i]));
  MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double time_of_theirs = 1e300, time_of_sweep = 1e300, time_of_answer = 1e300;
  for (int turn = 0; turn < 3; ++turn) {
    time_of_theirs = std::min(time_of_theirs, seconds([&] { factored.solve(theirs); }));
    time_of_sweep = std::min(time_of_sweep, seconds([&] { solver.sweep(b, x); }));
    time_of_answer = std::min(time_of_answer, seconds([&] { solver.solve(b, x); }));
  }
  if (rank == 0) {
    const auto& plan = solver.report().plan;
    std::printf("%d rows, %d ranks: SuperLU_DIST %.3f ms; Trisweep's sweeps %.3f ms (ratio %.2f), ", a.n,
                ranks, 1e3 * time_of_theirs, 1e3 * time_of_sweep, time_of_theirs / time_of_sweep);
    std::printf("a refined answer %.3f ms; made ready in %.2f s, %s; they differ by %.1e\n",
                1e3 * time_of_answer, setup, plan.name().c_str(), difference);
  }
  return answer.solved() && difference < 1e-10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int side = argc > 1 ? std::atoi(argv[1]) : 12;
  const int process_rows = argc > 2 ? std::atoi(argv[2]) : (ranks % 2 == 0 ? 2 : 1);
  const int status = solve_both(side, process_rows);
  MPI_Finalize();
  return status;
}
