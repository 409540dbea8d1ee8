// Sweeps with compressed panels, on every grid of these ranks.

#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "support/distributed_rows.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/model/cost.hpp"
#include "trisweep/solve/compression_choice.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::solve {
namespace {

using testing_support::grids_of;
using testing_support::Problem;
using testing_support::world_size;

template <Scalar T>
matrix::Csr<T> example(const std::string& kind, Index n) {
  return matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})));
}

template <Scalar F, Scalar T>
std::shared_ptr<const Factorization<F>> in_usual_supernodes(const matrix::Csr<T>& a, int whole_levels) {
  AnalysisOptions options;
  options.ordering.tree_levels = 4;
  options.symbolic.whole_levels = whole_levels;
  return std::make_shared<const Factorization<F>>(
      factor<F>(a, std::make_shared<const Analysis>(in_clusters(a, analyze(a, options)))));
}

constexpr double eps = 1e-6;

template <class T>
class CompressedSweeps : public testing::Test {};
TYPED_TEST_SUITE(CompressedSweeps, testing_support::DoubleScalars);

TYPED_TEST(CompressedSweeps, AreOffByWhatWasAllowedInEveryPlan) {
  using T = TypeParam;
  const auto grids = grids_of(world_size());
  struct Case {
    const char* kind;
    int whole_levels;
    distribution::ProcessGrid grid;
  };
  for (const Case& c : {Case{"poisson3d", 0, grids.front()}, {"convection3d", 3, grids.back()}}) {
    const auto a = example<T>(c.kind, 10);
    const auto factors = in_usual_supernodes<T>(a, c.whole_levels);
    for (const auto& mapping : distribution::mappings()) {
      const TriangularSolverOptions options{.grid = c.grid, .mapping = mapping, .compression = {.eps = eps}};
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors, options);
      ASSERT_TRUE(solver.compression());
      EXPECT_LE(solver.compression()->bytes(), solver.compression()->uncompressed_bytes());
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (const Index nrhs : {1, 9}) {
          const Problem<T> problem(solver, a, op, nrhs);
          const double error = problem.error(problem.solve_with(solver)) * 2e-16;
          EXPECT_LT(error, 1e3 * eps)
              << c.kind << " " << c.grid.name() << " " << mapping.name << " " << char(op);
        }
      }
    }
  }
}

// Before there are numbers, the model knows about how many bytes there will be.
TEST(CompressedSweeps, AreForeseenByTheModel) {
  for (const auto& [kind, n] : {std::pair{"poisson3d", 18}, {"convection3d", 16}, {"elasticity3d", 9}}) {
    const auto factors = in_usual_supernodes<double>(example<double>(kind, n), 0);
    const TriangularSolverOptions options{.grid = grids_of(world_size()).front(),
                                          .compression = {.eps = 1e-9}};
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors, options);
    ASSERT_TRUE(solver.compression());
    std::vector<double> foreseen(2);  // with tiles, and without
    const auto& share = solver.local_blocks();
    for (const auto side : distribution::sides) {
      const auto& pieces = share.side(side);
      for (Index p = 0; p < pieces.pieces(); ++p) {
        const Index width = share.width(pieces.segment[usize(p)]);
        foreseen[0] += model::panel_cost(pieces.height(p), width, {.compression_eps = 1e-9}).bytes;
        foreseen[1] += model::panel_cost(pieces.height(p), width, {}).bytes;
      }
    }
    solver.comm().sum(foreseen);
    const double made = solver.compression()->bytes() / solver.compression()->uncompressed_bytes();
    EXPECT_GT(foreseen[0] / foreseen[1], 0.6 * made) << kind;
    EXPECT_LT(foreseen[0] / foreseen[1], 1.6 * made) << kind;
  }
}

// The same tiles on any number of threads, and sums in one order.
TEST(CompressedSweeps, AreTheSameWithThreads) {
  const auto a = example<double>("poisson3d", 10);
  const auto factors = in_usual_supernodes<double>(a, 0);
  TriangularSolverOptions options{
      .grid = grids_of(world_size()).back(), .deterministic = true, .grain = 1000};
  options.compression.eps = eps;
  std::vector<std::vector<double>> x;
  for (const int threads : {1, 2}) {
    options.threads = world_size() == 1 ? threads : 1;
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors, options);
    const Problem<double> problem(solver, a, Op::none, 2);
    x.push_back(problem.solve_with(solver));
    x.push_back(problem.solve_with(solver));
  }
  for (const auto& other : x) EXPECT_EQ(other, x.front());
}

// Float factors are compressed further.
TEST(CompressedSweeps, TakeFactorsOfLowerPrecision) {
  const auto a = example<double>("poisson3d", 10);
  const auto factors = in_usual_supernodes<Single<double>>(a, 0);
  const TriangularSolverOptions options{.grid = grids_of(world_size()).front(), .compression = {.eps = 1e-4}};
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors, options);
  ASSERT_TRUE(solver.compression());
  EXPECT_LT(solver.compression()->bytes(), solver.compression()->uncompressed_bytes());
  const Problem<double> problem(solver, a, Op::none, 1);
  EXPECT_LT(problem.error(problem.solve_with(solver)) * 2e-16, 0.1);
}

template <class T>
class CompressedDevicesThreads : public testing::Test {};
TYPED_TEST_SUITE(CompressedDevicesThreads, testing_support::DoubleScalars);

// Answers of the same tiles as the processors read: they differ by rounding. On devices they are bitwise the
// same with any number of workers, and with any exchange backend between layers.
TYPED_TEST(CompressedDevicesThreads, SolveAsTheProcessorsDo) {
  using T = TypeParam;
  const auto grids = grids_of(world_size());
  for (const auto& [kind, whole_levels, grid] :
       {std::tuple{"poisson3d", 0, grids.front()}, {"convection3d", 3, grids.back()}}) {
    const auto a = example<T>(kind, 8);
    const auto factors = in_usual_supernodes<T>(a, whole_levels);
    TriangularSolverOptions options{
        .grid = grid, .deterministic = true, .grain = 1000, .compression = {.eps = 1e-3}};
    TriangularSolver<T> cpu(MPI_COMM_WORLD, factors, options);
    options.device = engine::Device::emulated;
    options.threads = 2;
    TriangularSolver<T> by_puts(MPI_COMM_WORLD, factors, options);
    options.exchange_backend = device::ExchangeBackend::mpi;
    options.threads = 1;
    TriangularSolver<T> by_messages(MPI_COMM_WORLD, factors, options);
    ASSERT_TRUE(by_puts.compression());
    EXPECT_LT(by_puts.compression()->bytes(), 0.9 * by_puts.compression()->uncompressed_bytes());
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (const Index nrhs : {1, 13}) {
        const Problem<T> problem(cpu, a, op, nrhs);
        const auto x = problem.solve_with(by_puts);
        EXPECT_LT(testing_support::largest_difference(x, problem.solve_with(cpu)),
                  1e4 * std::numeric_limits<RealOf<T>>::epsilon())
            << kind << ' ' << grid.name() << ' ' << char(op) << ' ' << nrhs;
        EXPECT_EQ(problem.solve_with(by_messages), x) << kind << ' ' << grid.name() << ' ' << char(op);
      }
    }
  }
}

// Panels that no tile makes shorter are numbers, to which nothing is done.
TEST(CompressedDevices, LeaveNumbersThatNothingCompresses) {
  const auto a = example<double>("convection3d", 6);
  const auto factors = in_usual_supernodes<double>(a, 0);
  TriangularSolverOptions options{.grid = grids_of(world_size()).back(), .device = engine::Device::emulated};
  TriangularSolver<double> plain(MPI_COMM_WORLD, factors, options);
  options.compression.eps = 1e-300;
  TriangularSolver<double> compressed(MPI_COMM_WORLD, factors, options);
  ASSERT_TRUE(compressed.compression());
  EXPECT_EQ(compressed.compression()->bytes(), compressed.compression()->uncompressed_bytes());
  const Problem<double> problem(plain, a, Op::none, 3);
  EXPECT_EQ(problem.solve_with(compressed), problem.solve_with(plain));
}

// Row blocks with several rows of tiles, each of low rank: their sums may not meet.
TEST(CompressedDevices, KeepTheSumsOfTilesApart) {
  const auto a = example<double>("poisson3d", 16);
  const auto factors = in_usual_supernodes<double>(a, 0);
  TriangularSolverOptions options{
      .grid = grids_of(world_size()).front(), .grain = 1 << 20, .compression = {.eps = 1e-2}};
  TriangularSolver<double> cpu(MPI_COMM_WORLD, factors, options);
  options.device = engine::Device::emulated;
  TriangularSolver<double> host(MPI_COMM_WORLD, factors, options);
  for (const Op op : {Op::none, Op::transpose}) {
    const Problem<double> problem(cpu, a, op, 3);
    EXPECT_LT(testing_support::largest_difference(problem.solve_with(host), problem.solve_with(cpu)), 1e-11);
  }
}

// Tiles in double precision beside numbers in single precision; other numbers have tiles of other sizes.
TEST(CompressedDevices, TakeFactorsOfLowerPrecisionAndOtherNumbers) {
  const auto a = example<double>("poisson3d", 8);
  auto factors = in_usual_supernodes<Single<double>>(a, 0);
  TriangularSolverOptions options{.grid = grids_of(world_size()).front(), .compression = {.eps = 1e-3}};
  TriangularSolver<double> cpu(MPI_COMM_WORLD, factors, options);
  options.device = engine::Device::emulated;
  TriangularSolver<double> host(MPI_COMM_WORLD, factors, options);
  const Problem<double> problem(cpu, a, Op::none, 2);
  EXPECT_LT(testing_support::largest_difference(problem.solve_with(host), problem.solve_with(cpu)), 1e-11);
  auto other = a;
  for (double& value : other.value) value *= value > 0 ? 1.25 : 1;
  factors =
      std::make_shared<const Factorization<Single<double>>>(factor<Single<double>>(other, factors->analysis));
  EXPECT_TRUE(cpu.refill(factors));
  EXPECT_TRUE(host.refill(factors));
  EXPECT_LT(testing_support::largest_difference(problem.solve_with(host), problem.solve_with(cpu)), 1e-11);
}

// With panels that are hardly anything of what they were no refinement converges.
TEST(CompressedSolver, IsRefinedAndUndoesWhatDoesNotConverge) {
  const auto a = example<double>("maxwell3d", 6);
  for (const double tolerance : {1e-7, 0.9}) {
    SolverOptions options;
    options.compress.eps = tolerance;
    options.refinement.max_steps = 6;
    Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a)), options);
    const std::vector<double> b(usize(solver.rows()), 1.0);
    std::vector<double> x(b.size());
    const Answer answer = solver.solve({b.data(), solver.rows(), 1}, {x.data(), solver.rows(), 1});
    EXPECT_TRUE(answer.solved()) << tolerance;
    const FactorReport& report = solver.report().factor;
    EXPECT_EQ(report.compression_undone, tolerance > 0.5);
    EXPECT_EQ(report.compression_eps, tolerance > 0.5 ? 0 : tolerance);
    if (testing_support::world_rank() == 0) {
      EXPECT_EQ(report.bytes == report.uncompressed_bytes, tolerance > 0.5);
    }
  }
}

// Tiles of a Hilbert matrix would have a condition of about what they are off by, and any bound of errors
// that comes from it would be too small.
TEST(CompressedSolver, DoesNotHideACondition) {
  constexpr Index n = 11;
  matrix::Csr<double> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(1.0 / (i + j + 1));
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  SolverOptions options;
  options.compress.eps = 1e-7;
  Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, std::move(a)), options);
  const std::vector<double> b(usize(solver.rows()), 1.0);
  std::vector<double> x(b.size());
  const Answer answer = solver.solve({b.data(), solver.rows(), 1}, {x.data(), solver.rows(), 1});
  EXPECT_TRUE(answer.solved());  // as it would be with tiles
  EXPECT_TRUE(solver.report().factor.compression_undone);
  EXPECT_GT(solver.report().factor.condition_estimate, 1e13);
}

// Answers of 0.46 of the bytes take two passes. Those of uncompressed factors take one, unless the best is
// asked for: then they take two as well, which read more.
TEST(CompressedSolver, AutomaticallyWhereAnswersAreSooner) {
  for (const bool best : {true, false}) {
    SolverOptions options;
    options.compress.automatic = true;
    options.refinement.best = best;
    Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, example<double>("poisson3d", 28)),
                          options);
    const std::vector<double> b(usize(solver.rows()), 1.0);
    std::vector<double> x(b.size());
    const Answer answer = solver.solve({b.data(), solver.rows(), 1}, {x.data(), solver.rows(), 1});
    EXPECT_LE(answer.error.componentwise, 10 * 2.2e-16) << best;
    const FactorReport& report = solver.report().factor;
    EXPECT_EQ(report.compression_undone, !best);
    EXPECT_EQ(report.compression_eps > 0, best);
    EXPECT_EQ(answer.refinement_steps > 0, best);
  }
}

TEST(CompressedSolver, SavesWhatAnswersOfWholeFactorsTakeMore) {
  // A sweep of 3 s and 1 s of judging; through uncompressed factors of four times the bytes it would be 3 /
  // 0.45.
  const double whole_sweep = 3 / time_of_sweep(0.25);
  EXPECT_DOUBLE_EQ(saved_by_compression(0.25, 3, 8, 2, 2), 2 * (whole_sweep - 3));
  EXPECT_DOUBLE_EQ(saved_by_compression(0.25, 3, 8, 2, 1), whole_sweep + 1 - 8);
  EXPECT_LT(saved_by_compression(0.25, 3, 8, 2, 1), 0);
  // Tiles are not even made where two sweeps through them take longer than one through uncompressed factors.
  EXPECT_DOUBLE_EQ(2 * time_of_sweep(automatic_compression<double>().most), 1);
  EXPECT_DOUBLE_EQ(time_of_sweep(automatic_compression<double>(2).most), 1);
  EXPECT_EQ(passes_of_whole_factors({}, false), 1);
  EXPECT_EQ(passes_of_whole_factors({.best = true}, false), 2);
  EXPECT_EQ(passes_of_whole_factors({}, true), 3);
}

}  // namespace
}  // namespace trisweep::solve
