// Our numeric factorization beside SuperLU_DIST's, in one process on one thread, from the same fill-reducing
// permutation; without equilibration, row permutation, and refinement on either side.
//
//   factor_vs_superlu_dist                 the three reference problems
//   factor_vs_superlu_dist KIND N [lu]     another one of the gallery; with lu, no Cholesky
//
// Prints seconds, GFLOP/s and memory of both, and the ratio of the times (below 1: we are faster). The solve
// with one right-hand side is compared too: a plain sequential sweep over our panels, with its floor, the
// time to read the factors once at the bandwidth of a large read-only sum.

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
#include "trisweep/symbolic/structure.hpp"

extern "C" void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*,
                       const double*, const int*, const double*, double*, const int*);

namespace {

using trisweep::Index;
using trisweep::Offset;
using trisweep::usize;
using trisweep::numeric::Factors;
using trisweep::numeric::Kind;
using Matrix = trisweep::matrix::Csr<double>;

constexpr int repeats = 3;  // the fastest counts
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

// y := y - A x or y - A^T x for a column-major panel.
void subtract_panel_product(char op, Index rows, Index cols, const double* panel, const double* x,
                            double* y) {
  const double minus_one = -1, one = 1;
  const int step = 1;
  if (rows > 0) dgemv_(&op, &rows, &cols, &minus_one, panel, &rows, x, &step, &one, y, &step);
}

// Forward, diagonal and backward sweep, supernode by supernode, in place.
void sweep(const Factors<double>& f, std::vector<double>& x) {
  const auto& s = *f.structure;
  std::vector<double> gathered, old;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto rows = s.rows(k);
    gathered.assign(rows.size(), 0.0);
    subtract_panel_product('N', s.height(k), s.width(k), f.lower_panel(k), &x[usize(s.first[usize(k)])],
                           gathered.data());
    for (std::size_t i = 0; i < rows.size(); ++i) x[usize(rows[i])] += gathered[i];
  }
  for (Index k = s.supernodes() - 1; k >= 0; --k) {
    const auto rows = s.rows(k);
    const Index w = s.width(k);
    double* segment = &x[usize(s.first[usize(k)])];
    old.assign(usize(w), 0.0);
    subtract_panel_product('N', w, w, f.diagonal_block(k), segment, old.data());
    for (Index i = 0; i < w; ++i) segment[i] = -old[usize(i)];
    gathered.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) gathered[i] = x[usize(rows[i])];
    const double* upper = f.kind == Kind::lu ? f.upper_panel(k) : f.lower_panel(k);
    subtract_panel_product('T', s.height(k), w, upper, gathered.data(), segment);
  }
}

Timing run_ours(const Problem& p, Kind kind) {
  Timing t{.factor = 1e300, .solve = 1e300};
  for (int r = 0; r < repeats; ++r) {
    std::optional<Factors<double>> f;
    t.factor = std::min(t.factor,
                        seconds_of([&] { f = trisweep::numeric::factor(p.ordered, p.structure, kind, {}); }));
    if (!f) throw trisweep::Error(trisweep::ErrorKind::numerical, "not positive definite");
    for (int s = 0; s < repeats; ++s) {
      std::vector<double> x(p.rhs.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[usize(p.new_of_old[i])] = p.rhs[i];
      t.solve = std::min(t.solve, seconds_of([&] { sweep(*f, x); }));
      for (const double xi : x) t.error = std::max(t.error, std::abs(xi - 1));
    }
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

void print(const std::string& who, const Timing& t, double flops, double reference, double floor) {
  fmt::print(
      "  {:<14} factor {:8.3f} s {:7.2f} GFLOP/s  ratio {:5.2f}   memory {:6.3f} GiB   solve {:8.4f} s{}   "
      "error {:.1e}\n",
      who, t.factor, flops / t.factor * 1e-9, t.factor / reference, t.gigabytes, t.solve,
      floor > 0 ? fmt::format(" ({:.2f} x floor)", t.solve / floor) : "", t.error);
}

void compare(const Case& c, double bandwidth) {
  const Problem p = prepare(c);
  const auto lu = trisweep::numeric::estimate(*p.structure, Kind::lu, sizeof(double));
  const auto cholesky = trisweep::numeric::estimate(*p.structure, Kind::cholesky, sizeof(double));
  fmt::print("{} n={}: {} rows, {} supernodes, nnz(L) {}, LU {:.2f} GFLOP\n", c.kind, c.n, p.a.rows(),
             p.structure->supernodes(), lu.nonzeros_l, lu.flops * 1e-9);
  const Timing peer = run_superlu_dist(p);
  print("SuperLU_DIST", peer, lu.flops, peer.factor, 0);
  if (c.definite) {
    print("Cholesky", run_ours(p, Kind::cholesky), cholesky.flops, peer.factor,
          2 * double(cholesky.factor_bytes) / bandwidth);
  }
  print("LU", run_ours(p, Kind::lu), lu.flops, peer.factor, double(lu.factor_bytes) / bandwidth);
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
