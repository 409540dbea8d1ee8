// Our numeric factorization and solve beside SuperLU_DIST's, in one process on one thread, from the same
// fill-reducing permutation; without equilibration, row permutation, and refinement on either side.
//
//   vs_superlu_dist                 the three reference problems
//   vs_superlu_dist KIND N [lu]     another one of the gallery; with lu, no Cholesky
//
// Prints seconds, GFLOP/s and memory of both, and the ratios of the times (below 1: we are faster). Beside
// the solve with one right-hand side stands its floor, the time to read the factors as often as a solve does
// at the bandwidth of a large read-only sum. SuperLU_DIST's solve is its own count, without moving the
// right-hand side; ours is the whole call.

#include <fmt/format.h>
#include <mpi.h>
#include <omp.h>
#include <superlu-dist/superlu_ddefs.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// SuperLU_DIST's headers define these as macros.
#undef SLU_MAX
#undef SLU_MIN

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/gallery.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace {

using trisweep::Index;
using trisweep::Offset;
using trisweep::usize;
using trisweep::numeric::Factors;
using trisweep::numeric::Kind;
using Matrix = trisweep::matrix::Csr<double>;

constexpr int repeats = 3;  // the fastest counts
constexpr int solves = 10;  // of each repeat
constexpr double gib = 1024.0 * 1024.0 * 1024.0;

double seconds_of(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Case {
  std::string kind;
  Index n;
  bool definite;
};

struct Timing {
  double factor = 0;
  double solve = 0;
  double gigabytes = 0;  // GiB of factors (ours: with the stack of contribution blocks)
  double error = 0;      // largest |x - 1| for the right-hand side A 1
};

struct Problem {
  Matrix a;
  std::vector<Index> new_of_old;
  Matrix ordered;
  std::shared_ptr<const trisweep::symbolic::Structure> structure;
  std::vector<double> rhs;  // A times ones
};

Problem prepare(const Case& c) {
  Problem p;
  p.a = std::get<Matrix>(trisweep::matrix::gallery(c.kind, {.n = c.n}));
  const auto ordering = trisweep::ordering::order(p.a, c.definite, {.matching = false, .equilibrate = false});
  const std::vector<double> ones(usize(p.a.rows()), 1.0);
  const Matrix dissected =
      trisweep::matrix::permuted_and_scaled<double>(p.a, ordering.col_new, ordering.col_new, ones, ones);
  const auto analysis =
      trisweep::symbolic::analyze(trisweep::matrix::symmetrized(dissected.pattern), ordering.tree, {});
  p.structure = analysis.structure;
  p.new_of_old.resize(ones.size());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    p.new_of_old[i] = analysis.new_of_ordered[usize(ordering.col_new[i])];
  }
  p.ordered = trisweep::matrix::permuted_and_scaled<double>(p.a, p.new_of_old, p.new_of_old, ones, ones);
  p.rhs.resize(ones.size());
  trisweep::matrix::multiply<double>(p.a, trisweep::Op::none, ones, p.rhs);
  return p;
}

// Of whole solves, permutations included.
void time_solves(const Problem& p, Factors<double>&& factors, Timing& t) {
  const std::vector<double> ones(p.rhs.size(), 1.0);
  trisweep::solve::Factorization<double> f;
  f.analysis = std::make_shared<const trisweep::solve::Analysis>(trisweep::solve::Analysis{
      {p.new_of_old, p.new_of_old, ones, ones, p.structure->tree}, p.structure, factors.kind});
  f.factors = std::make_shared<const Factors<double>>(std::move(factors));
  trisweep::solve::TriangularSolver<double> solver(
      MPI_COMM_SELF, std::make_shared<const trisweep::solve::Factorization<double>>(f), {});
  std::vector<double> x(p.rhs.size());
  const auto n = static_cast<Index>(x.size());
  for (int s = 0; s < solves; ++s) {
    solver.solve(trisweep::Op::none, {p.rhs.data(), n, 1}, {x.data(), n, 1});
    t.solve = std::min(t.solve, solver.last().seconds);
  }
  for (const double xi : x) t.error = std::max(t.error, std::abs(xi - 1));
}

Timing run_ours(const Problem& p, Kind kind) {
  Timing t{.factor = 1e300, .solve = 1e300};
  for (int r = 0; r < repeats; ++r) {
    std::optional<Factors<double>> f;
    t.factor = std::min(t.factor,
                        seconds_of([&] { f = trisweep::numeric::factor(p.ordered, p.structure, kind, {}); }));
    if (!f) throw trisweep::Error(trisweep::ErrorKind::numerical, "not positive definite");
    time_solves(p, std::move(*f), t);
  }
  t.gigabytes = double(trisweep::numeric::estimate(*p.structure, kind, sizeof(double)).peak_bytes()) / gib;
  return t;
}

// SuperLU_DIST's matrix owns malloc'ed copies.
SuperMatrix superlu_matrix(const Matrix& a) {
  const auto n = static_cast<int_t>(a.rows());
  auto* value = static_cast<double*>(SUPERLU_MALLOC(usize(a.nonzeros()) * sizeof(double)));
  auto* col = static_cast<int_t*>(SUPERLU_MALLOC(usize(a.nonzeros()) * sizeof(int_t)));
  auto* row_ptr = static_cast<int_t*>(SUPERLU_MALLOC((usize(n) + 1) * sizeof(int_t)));
  std::ranges::copy(a.value, value);
  std::ranges::copy(a.pattern.col, col);
  std::ranges::transform(a.pattern.row_ptr, row_ptr, [](Offset o) { return static_cast<int_t>(o); });
  SuperMatrix m;
  dCreate_CompRowLoc_Matrix_dist(&m, n, n, static_cast<int_t>(a.nonzeros()), n, 0, value, col, row_ptr,
                                 SLU_NR_loc, SLU_D, SLU_GE);
  return m;
}

Timing run_superlu_dist_once(const Problem& p, gridinfo_t& grid) {
  superlu_dist_options_t options;
  set_default_options_dist(&options);
  options.Equil = NO;
  options.RowPerm = NOROWPERM;
  options.ColPerm = MY_PERMC;
  options.IterRefine = NOREFINE;
  options.PrintStat = NO;
  const auto n = static_cast<int_t>(p.a.rows());
  SuperMatrix a = superlu_matrix(p.a);
  dScalePermstruct_t permutation;
  dLUstruct_t lu;
  dSOLVEstruct_t solve;
  SuperLUStat_t stat;
  dScalePermstructInit(n, n, &permutation);
  dLUstructInit(n, &lu);
  PStatInit(&stat);
  for (int_t i = 0; i < n; ++i) permutation.perm_c[i] = p.new_of_old[usize(i)];
  std::vector<double> x = p.rhs;
  double backward_error = 0;
  int info = 0;
  pdgssvx(&options, &a, &permutation, x.data(), static_cast<int>(n), 1, &grid, &lu, &solve, &backward_error,
          &stat, &info);
  Timing t{.factor = stat.utime[FACT], .solve = stat.utime[SOLVE]};
  for (const double xi : x) t.error = std::max(t.error, std::abs(xi - 1));
  superlu_dist_mem_usage_t memory;
  dQuerySpace_dist(n, &lu, &grid, &stat, &memory);
  t.gigabytes = double(memory.total) / gib;

  PStatFree(&stat);
  Destroy_CompRowLoc_Matrix_dist(&a);
  dScalePermstructFree(&permutation);
  dDestroy_LU(n, &grid, &lu);
  dLUstructFree(&lu);
  dSolveFinalize(&options, &solve);
  return t;
}

Timing run_superlu_dist(const Problem& p) {
  gridinfo_t grid;
  superlu_gridinit(MPI_COMM_WORLD, 1, 1, &grid);
  Timing best = run_superlu_dist_once(p, grid);
  for (int r = 1; r < repeats; ++r) {
    const Timing t = run_superlu_dist_once(p, grid);
    best.factor = std::min(best.factor, t.factor);
    best.solve = std::min(best.solve, t.solve);
  }
  superlu_gridexit(&grid);
  return best;
}

// Bytes per second of a sum over much more memory than the caches hold.
double read_bandwidth() {
  const std::vector<double> data(usize(1) << 26, 1.0);
  double best = 1e300;
  volatile double sink = 0;
  for (int r = 0; r < repeats; ++r) {
    best = std::min(best, seconds_of([&] {
                      double sum[8] = {};
                      for (std::size_t i = 0; i < data.size(); i += 8) {
                        for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += data[i + lane];
                      }
                      sink = std::accumulate(sum, sum + 8, 0.0);
                    }));
  }
  return double(data.size() * sizeof(double)) / best;
}

void print(const std::string& who, const Timing& t, double flops, const Timing& peer, double floor) {
  fmt::print(
      "  {:<12} factor {:6.3f} s {:5.1f} GFLOP/s ratio {:4.2f}   solve {:6.4f} s ratio {:4.2f}{}   memory "
      "{:5.3f} GiB   "
      "error {:.1e}\n",
      who, t.factor, flops / t.factor * 1e-9, t.factor / peer.factor, t.solve, t.solve / peer.solve,
      floor > 0 ? fmt::format(" ({:.2f} x floor)", t.solve / floor) : "", t.gigabytes, t.error);
}

void compare(const Case& c, double bandwidth) {
  const Problem p = prepare(c);
  const auto lu = trisweep::numeric::estimate(*p.structure, Kind::lu, sizeof(double));
  const auto cholesky = trisweep::numeric::estimate(*p.structure, Kind::cholesky, sizeof(double));
  fmt::print("{} n={}: {} rows, {} supernodes, nnz(L) {}, LU {:.2f} GFLOP\n", c.kind, c.n, p.a.rows(),
             p.structure->supernodes(), lu.nonzeros_l, lu.flops * 1e-9);
  const Timing peer = run_superlu_dist(p);
  print("SuperLU_DIST", peer, lu.flops, peer, 0);
  if (c.definite) {
    print("Cholesky", run_ours(p, Kind::cholesky), cholesky.flops, peer,
          2 * double(cholesky.factor_bytes) / bandwidth);
  }
  print("LU", run_ours(p, Kind::lu), lu.flops, peer, double(lu.factor_bytes) / bandwidth);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  omp_set_num_threads(1);
  trisweep::numeric::use_one_blas_thread();
  std::vector<Case> cases{{"s2d9", 512, true}, {"poisson3d", 40, true}, {"convection3d", 40, false}};
  if (argc > 2) cases = {{argv[1], static_cast<Index>(std::stoi(argv[2])), argc == 3}};
  int status = 0;
  try {
    const double bandwidth = read_bandwidth();
    fmt::print("read bandwidth {:.1f} GB/s\n", bandwidth * 1e-9);
    for (const Case& c : cases) compare(c, bandwidth);
  } catch (const trisweep::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    status = e.exit_status();
  }
  MPI_Finalize();
  return status;
}
