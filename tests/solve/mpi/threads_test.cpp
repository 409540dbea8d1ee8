// Several threads in a rank, and sums in a fixed order.

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gallery/gallery.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::Problem;
using testing_support::random_matrix;
using testing_support::world_size;

// Of the grids of all ranks: the flattest, and the one with most layers.
std::vector<distribution::ProcessGrid> two_grids() {
  const auto all = grids_of(world_size());
  return {all.front(), all.back()};
}

template <class T>
class TriangularSolverThreads : public testing::Test {};
TYPED_TEST_SUITE(TriangularSolverThreads, testing_support::DoubleScalars);

TYPED_TEST(TriangularSolverThreads, SolveEveryOp) {
  using T = TypeParam;
  for (const bool hermitian : {false, true}) {
    const auto a = random_matrix<T>({.n = 300, .per_row = 2, .hermitian = hermitian, .seed = 8});
    const auto factors = factored(a);
    for (const auto& grid : two_grids()) {
      for (const auto& transport : mpi::transports()) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                   {.grid = grid, .transport = transport.make, .threads = 3, .grain = 60});
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          for (const Index nrhs : {4, 1}) {
            EXPECT_LT(testing_support::solve_error(solver, a, op, nrhs), 1000)
                << grid.name() << " " << transport.name << " op " << char(op) << " nrhs " << nrhs;
          }
        }
      }
    }
  }
}

// Residuals, norms and corrections are shared among the threads, too.
TYPED_TEST(TriangularSolverThreads, RefineEveryOp) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 300, .per_row = 2, .seed = 9});
  const auto factors = factored(a);
  TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                             {.grid = two_grids().front(), .threads = 3, .grain = 60});
  krylov::DistributedMatrix<T> matrix(MPI_COMM_WORLD, &a, solver.partition());
  RefinedSolver<T> refined(matrix, solver);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const Problem<T> problem(solver, a, op, 3);
    std::vector<T> x(problem.b.size());
    refined.solve(op, {problem.b.data(), problem.rows, 3}, {x.data(), problem.rows, 3}, {});
    EXPECT_LT(solver.comm().max(problem.error(x)), 100) << "op " << char(op);
  }
}

TEST(TriangularSolverThreads, DeterministicSolvesAreBitwiseEqual) {
  const auto a = random_matrix<double>({.n = 400, .per_row = 3, .seed = 21});
  const auto factors = factored(a);
  for (const auto& grid : two_grids()) {
    for (const Index nrhs : {1, 5}) {
      std::vector<double> first;
      for (const auto& transport : mpi::transports()) {
        for (const int threads : {1, 2, 4}) {
          TriangularSolver<double> solver(MPI_COMM_WORLD, factors,
                                          {.grid = grid,
                                           .transport = transport.make,
                                           .threads = threads,
                                           .deterministic = true,
                                           .grain = 100});
          const Problem<double> problem(solver, a, Op::none, nrhs);
          for (int repeat = 0; repeat < 20; ++repeat) {
            const auto x = problem.solve_with(solver);
            if (first.empty()) first = x;
            ASSERT_EQ(std::memcmp(x.data(), first.data(), x.size() * sizeof(double)), 0)
                << grid.name() << " " << transport.name << " threads " << threads << " repeat " << repeat;
          }
        }
      }
    }
  }
}

// Of a rank that is alone, and unless a number is asked for.
TEST(SolverThreads, AreThoseThatGainTime) {
  if (world_size() > 1) GTEST_SKIP() << "the processors of a rank";
  const auto threads = [](Index n, int asked_for) {
    Solver<double> solver(MPI_COMM_SELF,
                          {.a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = n}))},
                          {.threads = asked_for});
    const std::vector<double> b(usize(solver.rows()), 1.0);
    std::vector<double> x(b.size());
    EXPECT_TRUE(solver.solve(b, x).solved());
    return solver.report().threads;
  };
  EXPECT_EQ(threads(130, 0) > 1, mpi::processors_of_each(1) > 1);
  EXPECT_EQ(threads(20, 0), 1);
  EXPECT_EQ(threads(20, 2), 2);
}

// In the first poll of a solve another thread calls, too.
TEST(SolverThreads, OfWhichOneCallsMeanwhileIsRefused) {
  struct Intruder : Observer {
    Solver<double>* solver = nullptr;
    std::vector<double> b;
    std::vector<std::string> errors{};

    void poll() override {
      if (solver == nullptr) return;
      Solver<double>& called = *std::exchange(solver, nullptr);
      std::thread([&] {
        std::vector<double> x(b.size());
        try {
          called.sweep(b, x);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::usage);
          errors.emplace_back(error.what());
        }
      }).join();
    }
  };
  constexpr Index n = 20;
  const auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
  const auto rows = testing_support::uneven_blocks(n);
  Intruder intruder;
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false), {.observer = &intruder});
  const std::vector<double> b(rows.number.size(), 1);
  std::vector<double> x(b.size());
  intruder.b = b;
  for (int call = 0; call < 2; ++call) {
    intruder.solver = &solver;
    EXPECT_TRUE(solver.solve(b, x).solved());
  }
  ASSERT_EQ(intruder.errors.size(), 2u);
  EXPECT_THAT(intruder.errors[0], testing::HasSubstr("called from two threads at once"));
}

}  // namespace
}  // namespace trisweep::solve
