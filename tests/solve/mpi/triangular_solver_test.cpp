// Every grid of the ranks at hand, every op, scalar type and several numbers of right-hand sides, against the
// matrix itself.

#include "trisweep/solve/triangular_solver.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "support/random_matrix.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::solve {
namespace {

using testing_support::random_matrix;
using testing_support::random_vector;

std::vector<distribution::ProcessGrid> grids_of(Index ranks) {
  std::vector<distribution::ProcessGrid> grids;
  for (Index pz = 1; pz <= ranks; pz *= 2) {
    for (Index px = 1; px <= ranks; ++px) {
      if (ranks % (px * pz) == 0) grids.push_back({px, ranks / (px * pz), pz});
    }
  }
  return grids;
}

// Every combination of the tables of the plan's axes: what is added there is tested here.
std::vector<SolverOptions> variants(const distribution::ProcessGrid& grid) {
  std::vector<SolverOptions> all;
  for (const auto& tree : plan::trees()) {
    for (const auto& schedule : plan::schedules()) {
      for (const auto& inter_grid : plan::inter_grids()) {
        all.push_back({grid, tree.choice, schedule.choice, inter_grid.choice});
      }
    }
  }
  return all;
}

Index world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

template <Scalar T>
std::shared_ptr<const Factorization<T>> factored(const matrix::Csr<T>& a) {
  AnalysisOptions options;
  options.ordering.tree_levels = 3;
  options.symbolic.max_width = 6;  // small supernodes: many messages even from a small matrix
  return std::make_shared<const Factorization<T>>(
      factor<T>(a, std::make_shared<const Analysis>(analyze(a, options))));
}

// The largest componentwise error of the solution of op(A) x = b, given x, in units of the precision.
template <Scalar T>
double solve_error(TriangularSolver<T>& solver, const matrix::Csr<T>& a, Op op, Index nrhs) {
  const Index n = a.rows(), first = solver.partition().first(solver.comm().rank());
  const Index rows = solver.partition().count(solver.comm().rank());
  std::vector<T> b(usize(rows) * usize(nrhs)), x(b.size());
  std::vector<std::vector<T>> truth;
  for (Index c = 0; c < nrhs; ++c) {
    truth.push_back(random_vector<T>(usize(n), 7 + usize(c)));
    std::vector<T> whole(usize(n));
    matrix::multiply<T>(a, op, truth.back(), whole);
    std::copy_n(whole.begin() + first, rows, b.begin() + Offset{c} * rows);
  }
  solver.solve(op, {b.data(), rows, nrhs}, {x.data(), rows, nrhs});
  double error = 0;
  for (Index c = 0; c < nrhs; ++c) {
    for (Index i = 0; i < rows; ++i) {
      error = std::max<double>(error, std::abs(x[usize(c * rows + i)] - truth[usize(c)][usize(first + i)]));
    }
  }
  return solver.comm().max(error) / std::numeric_limits<RealOf<T>>::epsilon();
}

template <class T>
class TriangularSolverTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TriangularSolverTest, Scalars);

TYPED_TEST(TriangularSolverTest, SolvesOnEveryGridForEveryOp) {
  using T = TypeParam;
  for (const bool hermitian : {false, true}) {
    const auto a = random_matrix<T>({.n = 150, .per_row = 2, .hermitian = hermitian, .seed = 3});
    const auto factors = factored(a);
    EXPECT_EQ(factors->analysis->kind, hermitian ? numeric::Kind::cholesky : numeric::Kind::lu);
    for (const auto& grid : grids_of(world_size())) {
      for (const SolverOptions& options : variants(grid)) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors, options);
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          for (const Index nrhs : {1, 7, 2}) {
            EXPECT_LT(solve_error(solver, a, op, nrhs), 500)
                << grid.name() << " op " << char(op) << " nrhs " << nrhs << " hermitian " << hermitian;
          }
        }
      }
    }
  }
}

TYPED_TEST(TriangularSolverTest, SolvesWhatHasFewerSupernodesThanRanks) {
  using T = TypeParam;
  for (const Index n : {1, 2, 5}) {
    const auto a = random_matrix<T>({.n = n, .per_row = 1, .seed = 5});
    const auto factors = factored(a);
    for (const auto& grid : grids_of(world_size())) {
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors, {.grid = grid});
      EXPECT_LT(solve_error(solver, a, Op::none, 3), 100) << n << " on " << grid.name();
    }
  }
}

TEST(TriangularSolver, SolvesDisconnectedAndDiagonalMatrices) {
  for (const Index per_row : {0, 1}) {  // at one entry a row the graph falls into many components
    const auto a = random_matrix<double>({.n = 60, .per_row = per_row});
    const auto factors = factored(a);
    for (const auto& grid : grids_of(world_size())) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid});
      EXPECT_LT(solve_error(solver, a, Op::none, 2), 100) << grid.name();
    }
  }
}

TEST(TriangularSolver, RepeatedSolvesNeedNoBarrierAndStayRight) {
  const auto a = random_matrix<double>({.n = 200, .per_row = 2, .seed = 11});
  const auto factors = factored(a);
  for (const auto& grid : grids_of(world_size())) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid});
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Op op = repeat % 3 == 0 ? Op::transpose : Op::none;
      ASSERT_LT(solve_error(solver, a, op, 1 + repeat % 3), 500) << grid.name() << " repeat " << repeat;
    }
  }
}

TEST(TriangularSolver, CountsTheMessagesThePlanPredicts) {
  const auto a = random_matrix<double>({.n = 200, .per_row = 2, .seed = 13});
  const auto factors = factored(a);
  for (const auto& grid : grids_of(world_size())) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid});
    constexpr Index nrhs = 3;
    solve_error(solver, a, Op::none, nrhs);
    for (const auto& phase : solver.plan(Op::none).phase) {
      const auto* sweep = std::get_if<plan::SweepPhase>(&phase);
      if (sweep == nullptr) continue;
      const bool forward = sweep->direction == plan::Direction::scatter;
      const Activity& done = forward ? solver.last().l : solver.last().u;
      EXPECT_EQ(done.messages_sent, sweep->sends.broadcast + sweep->sends.reduction);
      EXPECT_EQ(done.messages_received, sweep->receives.broadcast + sweep->receives.reduction);
      EXPECT_EQ(done.bytes_sent, sweep->rows_sent.total() * nrhs * Offset{sizeof(double)});
      EXPECT_EQ(done.bytes_received, sweep->rows_received.total() * nrhs * Offset{sizeof(double)});
    }
    EXPECT_LE(solver.last().inter_grid.messages_sent + solver.last().inter_grid.messages_received,
              2 * std::bit_width(static_cast<unsigned>(grid.pz)));
  }
}

TEST(TriangularSolver, RefusesAGridThatDoesNotFitOnEveryRank) {
  const auto factors = factored(random_matrix<double>({.n = 10}));
  const Index ranks = world_size();
  EXPECT_THROW(TriangularSolver<double>(MPI_COMM_WORLD, factors, {.grid = {ranks + 1, 1, 1}}), Error);
}

}  // namespace
}  // namespace trisweep::solve
