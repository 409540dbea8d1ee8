// What a rank sends outside the sweeps, counted at MPI's profiling interface, and the memory it takes: for
// the constructor of a Solver, the first solve and a later one. Messages of sweeps go through shared memory,
// so that all that MPI sees is outside them. A collective call counts as ceil(log2 P) messages of each rank,
// which is what a binomial tree, recursive doubling and dissemination take at most. And the neighbours of a
// rank: those whose rows of A it reads, or that read its own, and its peers in the plan, to whom messages of
// sweeps go through MPI in a solver with another transport.
//
// Memory is what came since the constructor began, with MPI's buffers for ranks that had no messages before.
// So it is counted of a later solver as well, for which MPI has them; and of the solve phase by itself, with
// factors that were made before: rank 0 of a solver has the gathered factorization besides.
//
//   scripts/mpirun -n P outside_sweeps ROWS [PX PY PZ]    of a square grid's side; writes one line of JSON

#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace {

struct Count {
  long direct = 0, collectives = 0, bytes = 0;
};
Count counted;
std::set<int> neighbours;  // to whom direct messages went

int rounds() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return std::bit_width(static_cast<unsigned>(size) - 1);
}

long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return static_cast<long>(size) * count;
}

void count_direct(int to, int count, MPI_Datatype type) {
  ++counted.direct;
  neighbours.insert(to);
  counted.bytes += bytes_of(count, type);
}

void count_collective(int count, MPI_Datatype type) {
  ++counted.collectives;
  counted.bytes += rounds() * bytes_of(count, type);
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_direct(to, count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  count_direct(to, count, type);
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  count_collective(count, type);
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_collective(count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  count_collective(count, type);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
int MPI_Igather(const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                int root, MPI_Comm comm, MPI_Request* request) {
  count_collective(count, type);
  return PMPI_Igather(from, count, type, to, to_count, to_type, root, comm, request);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  count_collective(0, MPI_BYTE);
  return PMPI_Ibarrier(comm, request);
}
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  count_collective(0, MPI_BYTE);
  return PMPI_Comm_dup_with_info(comm, info, made);
}
}

namespace trisweep {
namespace {

constexpr int figures = 4;
using Figures = std::array<long, figures>;  // direct, collectives, bytes, bytes of memory

// That this process has allocated.
long memory_in_use() {
  const struct mallinfo2 memory = mallinfo2();
  return static_cast<long>(memory.uordblks + memory.hblkhd);
}

class Stages {
 public:
  template <class Work>
  void run(const char* name, const Work& work) {
    counted = {};
    work();
    const Count done = counted;
    direct_ = done.direct;
    report(name, {done.direct, done.collectives, done.bytes, memory_in_use() - before_});
  }
  // What is there now is not counted from here on.
  void begin() { before_ = memory_in_use(); }

  // {"ranks": P, "constructor": {"root": [...], "others": [the largest of them]}, ...}
  void write() const {
    if (rank_ == 0) std::printf("{\"ranks\": %d%s}\n", size_, text_.c_str());
  }
  void report(const char* name, Figures mine) {
    std::vector<Figures> all(static_cast<std::size_t>(size_));
    PMPI_Gather(mine.data(), figures, MPI_LONG, all.data(), figures, MPI_LONG, 0, MPI_COMM_WORLD);
    Figures others{};
    for (std::size_t r = 1; r < all.size(); ++r)
      for (std::size_t f = 0; f < figures; ++f) others[f] = std::max(others[f], all[r][f]);
    const auto list = [](const Figures& f) {
      return "[" + std::to_string(f[0]) + ", " + std::to_string(f[1]) + ", " + std::to_string(f[2]) + ", " +
             std::to_string(f[3]) + "]";
    };
    text_ += ", \"" + std::string(name) + R"(": {"root": )" + list(all[0]) + R"(, "others": )" +
             list(others) + "}";
  }
  // A figure of every rank.
  void report_all(const char* name, long mine) {
    std::vector<long> all(static_cast<std::size_t>(size_));
    PMPI_Gather(&mine, 1, MPI_LONG, all.data(), 1, MPI_LONG, 0, MPI_COMM_WORLD);
    text_ += ", \"" + std::string(name) + "\": [";
    for (std::size_t r = 0; r < all.size(); ++r) text_ += (r == 0 ? "" : ", ") + std::to_string(all[r]);
    text_ += "]";
  }
  long direct() const { return direct_; }  // of this rank, in the last stage
  Stages() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

 private:
  int rank_ = 0, size_ = 1;
  long direct_ = 0, before_ = 0;
  std::string text_;
};

solve::SolverOptions on(const distribution::ProcessGrid& grid, const char* transport) {
  return {.plan = model::only({.grid = grid, .transport = transport}), .usual_transport = false};
}

// What solves are made of.
struct SolvePhase {
  SolvePhase(const matrix::Csr<double>& a, std::shared_ptr<const solve::Factorization<double>> factors,
             const distribution::ProcessGrid& grid)
      : solver(MPI_COMM_WORLD, std::move(factors),
               {.grid = grid, .transport = mpi::find_transport("shared").make}),
        matrix(MPI_COMM_WORLD, &a, solver.partition()),
        refined(matrix, solver) {}

  solve::TriangularSolver<double> solver;
  krylov::DistributedMatrix<double> matrix;
  solve::RefinedSolver<double> refined;
};

// The factors are there before.
void count_solve_phase(Stages& stages, const matrix::Csr<double>& a, const distribution::ProcessGrid& grid) {
  std::shared_ptr<const solve::Factorization<double>> factors;
  if (a.rows() > 0)
    factors = std::make_shared<const solve::Factorization<double>>(
        solve::factor<double>(a, std::make_shared<const solve::Analysis>(solve::analyze(a))));
  stages.begin();
  std::optional<SolvePhase> phase;
  stages.run("solve phase", [&] {
    phase.emplace(a, factors, grid);
    const auto rows = static_cast<std::size_t>(phase->matrix.local_rows());
    const std::vector<double> b(rows, 1.0);
    std::vector<double> x(rows);
    phase->refined.solve(Op::none, b, x, {});
  });
}

void count_all(Index side, distribution::ProcessGrid grid) {
  Stages stages;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  matrix::Csr<double> a;
  if (rank == 0) a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = side}));
  const auto rows = solve::dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a));
  const std::vector<double> b(usize(rows.a.rows()), 1.0);
  std::vector<double> x(b.size());
  stages.begin();
  std::optional<solve::Solver<double>> solver;
  stages.run("constructor", [&] { solver.emplace(MPI_COMM_WORLD, rows, on(grid, "shared")); });
  const long messages = stages.direct();
  for (const char* name : {"first solve", "later solve"}) {
    neighbours.clear();
    stages.run(name, [&] { solver->solve(b, x); });
  }
  const std::set<int> of_matrix = neighbours;
  solver.emplace(MPI_COMM_WORLD, rows, on(grid, "two-sided"));
  neighbours.clear();
  solver->sweep(b, x);
  solver.reset();
  neighbours.insert(of_matrix.begin(), of_matrix.end());
  stages.report_all("messages", messages);
  stages.report_all("neighbours", static_cast<long>(neighbours.size()));
  stages.begin();
  stages.run("later solver", [&] {
    solver.emplace(MPI_COMM_WORLD, rows, on(grid, "shared"));
    solver->solve(b, x);
  });
  solver.reset();
  count_solve_phase(stages, a, grid);
  stages.write();
}

}  // namespace
}  // namespace trisweep

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  trisweep::distribution::ProcessGrid grid{1, 1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &grid.px);
  if (argc == 5) grid = {std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4])};
  trisweep::count_all(argc > 1 ? std::atoi(argv[1]) : 48, grid);
  MPI_Finalize();
}
