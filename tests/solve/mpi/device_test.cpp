// The engine of devices, run by the host: ranks that write to each other's memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/plan/traffic.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {
namespace {

using engine::Device;
using testing_support::factored;
using testing_support::grids_of;
using testing_support::Problem;
using testing_support::random_matrix;
using testing_support::world_size;

template <class T>
void solve_every_op() {
  int threads = 0;
  for (const auto& [hermitian, whole_levels] : {std::pair(false, 3), {true, 0}}) {
    const auto a = random_matrix<T>({.n = 120, .per_row = 2, .hermitian = hermitian, .seed = 8});
    const auto factors = factored(a, whole_levels);
    for (const auto& grid : grids_of(world_size())) {
      threads = threads % 3 + 1;
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                 {.grid = grid,
                                  .device = Device::emulated,
                                  .threads = threads,
                                  .grain = 60,
                                  .tiling = {.width = 3, .least = 1, .on_one_rank = true}});
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (const Index nrhs : {5, 1}) {
          EXPECT_LT(testing_support::solve_error(solver, a, op, nrhs), 1000)
              << grid.name() << " op " << char(op) << " nrhs " << nrhs << " threads " << threads;
        }
      }
    }
  }
}

template <class T>
class DeviceEngineThreads : public testing::Test {};
TYPED_TEST_SUITE(DeviceEngineThreads, testing_support::DoubleScalars);

TYPED_TEST(DeviceEngineThreads, SolveEveryOp) {
  solve_every_op<TypeParam>();
}

TEST(DeviceEngineThreads, SolveEveryOpInSinglePrecision) {
  solve_every_op<Single<double>>();
  solve_every_op<Single<std::complex<double>>>();
}

// What layers share, and vectors, by MPI between launches: the same sums, solve after solve, on every
// schedule.
TYPED_TEST(DeviceEngineThreads, SolveByMessagesAsByPuts) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 120, .per_row = 2, .seed = 8});
  const auto factors = factored(a, 2);
  for (const auto& schedule : plan::schedules()) {
    for (const auto& grid : grids_of(world_size())) {
      testing_support::show_life();
      std::map<device::ExchangeBackend, std::vector<T>> x;
      for (const auto exchange_backend : {device::ExchangeBackend::puts, device::ExchangeBackend::mpi}) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                   {.grid = grid,
                                    .schedule = schedule.choice,
                                    .device = Device::emulated,
                                    .exchange_backend = exchange_backend,
                                    .threads = 2,
                                    .grain = 60});
        for (const auto& [op, nrhs] : {std::pair(Op::none, 5), {Op::transpose, 1}, {Op::none, 2}}) {
          const auto found = Problem<T>(solver, a, op, nrhs).solve_with(solver);
          x[exchange_backend].insert(x[exchange_backend].end(), found.begin(), found.end());
        }
        EXPECT_LT(testing_support::solve_error(solver, a, Op::conjugate_transpose, 3), 1000) << grid.name();
      }
      EXPECT_EQ(x[device::ExchangeBackend::mpi], x[device::ExchangeBackend::puts])
          << schedule.name << ' ' << grid.name();
    }
  }
}

TEST(DeviceEngine, CountsMessagesAsThePlanDoes) {
  const auto a = random_matrix<double>({.n = 80, .per_row = 2, .seed = 4});
  const auto factors = factored(a);
  const auto grid = grids_of(world_size()).back();
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid, .device = Device::emulated});
  const Problem<double> problem(solver, a, Op::none, 3);
  problem.solve_with(solver);
  const plan::RankTraffic expected = plan::traffic_of(solver.plan(Op::none));
  engine::MessageTotals sent;
  for (const auto kind : plan::sweep_kinds) sent += solver.last().sum().sent[plan::index_of(kind)];
  EXPECT_EQ(sent, (engine::MessageTotals{expected.sent().messages, expected.sent().rows * 3 * 8}));
  EXPECT_GT(solver.last().l.seconds, 0);
  EXPECT_LE(solver.last().sum().seconds, solver.last().seconds);
}

TEST(DeviceEngine, SumsDoNotDependOnTheNumberOfThreads) {
  const auto a = random_matrix<double>({.n = 200, .per_row = 3, .seed = 21});
  const auto factors = factored(a);
  for (const Index nrhs : {1, 5}) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors,
                                      {.grid = grids_of(world_size()).back(),
                                       .device = Device::emulated,
                                       .threads = threads,
                                       .grain = 60});
      const Problem<double> problem(solver, a, Op::none, nrhs);
      const std::vector<double> x = problem.solve_with(solver);
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << threads;
    }
  }
}

TEST(DeviceEngine, TakesMoreRightHandSidesAndOtherNumbers) {
  const auto a = random_matrix<double>({.n = 80, .per_row = 2, .seed = 4});
  const auto factors = factored(a);
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors,
                                  {.grid = grids_of(world_size()).front(), .device = Device::emulated});
  for (const Index nrhs : {1, 4, 2})
    EXPECT_LT(testing_support::solve_error(solver, a, Op::transpose, nrhs), 1000) << nrhs;
  auto other = a;
  for (double& value : other.value) value *= -2;
  const auto refactored =
      std::make_shared<const Factorization<double>>(factor<double>(other, factors->analysis));
  EXPECT_TRUE(solver.refill(refactored));
  EXPECT_LT(testing_support::solve_error(solver, other, Op::transpose, 2), 1000);
}

// Panels in single precision under vectors in double precision: the errors of the factors alone, which a step
// of refinement would take away.
TYPED_TEST(DeviceEngineThreads, MultiplyPanelsOfLowerPrecision) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 120, .per_row = 2, .seed = 8});
  matrix::Csr<Single<T>> low{.pattern = a.pattern, .value = {a.value.begin(), a.value.end()}};
  const auto factors = factored(low, 3);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    std::array<std::vector<T>, 2> x;
    for (const Device device : {Device::native, Device::emulated}) {
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                 {.grid = grids_of(world_size()).back(), .device = device, .threads = 2});
      x[device == Device::native] = Problem<T>(solver, a, op, 3).solve_with(solver);
    }
    EXPECT_LT(testing_support::largest_difference(x[0], x[1]), 1e-12) << char(op);
  }
}

// Both with factors of another matrix, so that steps leave errors far above rounding, and with its own.
TYPED_TEST(DeviceEngineThreads, RefineAndJudgeAsTheProcessorsDo) {
  using T = TypeParam;
  using R = RealOf<T>;
  const auto a = random_matrix<T>({.n = 300, .per_row = 3, .seed = 4});
  auto other = a;
  for (std::size_t e = 0; e < other.value.size(); e += 3) other.value[e] *= R(0.95);
  for (const bool exact : {false, true}) {
    const auto factors = factored(exact ? a : other);
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const Index nrhs = exact ? 1 : 3;
      testing_support::show_life();
      std::map<Device, std::vector<T>> x;
      std::map<Device, Refined> refined;
      std::map<Device, double> condition;
      for (const Device device : {Device::native, Device::emulated}) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                   {.grid = grids_of(world_size()).back(), .device = device, .threads = 2});
        krylov::DistributedMatrix<T> matrix(MPI_COMM_WORLD, &a, solver.partition());
        const Problem<T> problem(solver, a, op, nrhs);
        RefinedSolver<T> refiner(matrix, solver);
        x[device].resize(problem.b.size());
        const Vectors<T> to{x[device].data(), problem.rows, nrhs};
        refined[device] = refiner.solve(op, {problem.b.data(), problem.rows, nrhs}, to,
                                        {.best = true, .max_steps = exact ? 20 : 1});
        const Vectors<const T> last_b(problem.b.data() + (nrhs - 1) * problem.rows, problem.rows, 1);
        condition[device] = refiner.forward_error(op, last_b, to.columns(nrhs - 1, 1), 4).solution_condition;
        const auto judged = refiner.backward_error(op, {problem.b.data(), problem.rows, nrhs}, to);
        if (!exact) {
          EXPECT_NEAR(judged.componentwise / refined[device].error.componentwise, 1, 1e-2);
          EXPECT_NEAR(judged.normwise / refined[device].error.normwise, 1, 1e-2);
        }
      }
      const BackwardError &cpu = refined[Device::native].error, &host = refined[Device::emulated].error;
      constexpr auto epsilon = double(std::numeric_limits<R>::epsilon());
      EXPECT_NEAR(condition[Device::emulated] / condition[Device::native], 1, 1e-2);
      EXPECT_LT(testing_support::largest_difference(x[Device::emulated], x[Device::native]), 100 * epsilon);
      if (exact) {
        EXPECT_LT(host.componentwise, 2 * epsilon);
      } else {
        EXPECT_EQ(refined[Device::emulated].steps, refined[Device::native].steps);
        EXPECT_GT(host.componentwise, 20 * epsilon);
        EXPECT_NEAR(host.componentwise / cpu.componentwise, 1, 0.3);
        EXPECT_NEAR(host.arioli_demmel_duff / cpu.arioli_demmel_duff, 1, 0.3);
        EXPECT_NEAR(host.normwise / cpu.normwise, 1, 0.3);
      }
    }
  }
}

// b and x where the device has them, which here is the host: all of a refined solve, and what is asked of it.
TEST(DeviceEngineThreads, RefineVectorsOfTheDevice) {
  const auto a = random_matrix<double>({.n = 300, .per_row = 3, .seed = 21});
  auto other = a;
  for (std::size_t e = 0; e < other.value.size(); e += 3) other.value[e] *= 0.95;
  for (const int steps : {20, 1}) {  // with and without what the host takes over
    TriangularSolver<double> solver(MPI_COMM_WORLD, factored(other),
                                    {.grid = grids_of(world_size()).back(), .device = Device::emulated});
    krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a, solver.partition());
    const Problem<double> problem(solver, a, Op::none, 3);
    RefinedSolver<double> refiner(matrix, solver);
    std::map<MemorySpace, std::vector<double>> x, found;
    for (const MemorySpace space : {MemorySpace::device, MemorySpace::host}) {
      x[space].resize(problem.b.size());
      const Vectors<const double> b{problem.b.data(), problem.rows, 3, problem.rows, space};
      const Vectors<double> to{x[space].data(), problem.rows, 3, problem.rows, space};
      const auto refined = refiner.solve(Op::none, b, to, {.max_steps = steps});
      const double condition =
          refiner.forward_error(Op::none, b.columns(1, 1), to.columns(1, 1), 4).solution_condition;
      const auto judged = refiner.backward_error(Op::none, b, to);
      found[space] = {refined.error.componentwise, refined.error.normwise, double(refined.steps), condition,
                      judged.componentwise};
      EXPECT_EQ(refined.error.componentwise < 1e-13, steps == 20);
    }
    EXPECT_EQ(x[MemorySpace::device], x[MemorySpace::host]);
    for (std::size_t i = 0; i < found[MemorySpace::host].size(); ++i)
      EXPECT_NEAR(found[MemorySpace::device][i] / found[MemorySpace::host][i], 1, 1e-6) << i;
  }
}

// What refinement measures, by MPI between launches, on grids with segments that ranks share and on layers of
// one rank each, where devices put nothing: the same to the last bit, of vectors here and there.
TYPED_TEST(DeviceEngineThreads, RefineByMessagesAsByPuts) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 150, .per_row = 2, .seed = 4});
  auto other = a;
  for (std::size_t e = 0; e < other.value.size(); e += 3) other.value[e] *= RealOf<T>(0.95);
  const auto factors = factored(other);
  const auto grids = grids_of(world_size());
  for (const auto& grid : {grids.front(), grids.back()}) {
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      testing_support::show_life();
      std::map<device::ExchangeBackend, std::vector<T>> x;
      std::map<device::ExchangeBackend, std::vector<double>> error;
      for (const auto exchange_backend : {device::ExchangeBackend::puts, device::ExchangeBackend::mpi}) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                   {.grid = grid,
                                    .device = Device::emulated,
                                    .exchange_backend = exchange_backend,
                                    .threads = 2,
                                    .grain = 60});
        krylov::DistributedMatrix<T> matrix(MPI_COMM_WORLD, &a, solver.partition());
        RefinedSolver<T> refiner(matrix, solver);
        for (const auto& [nrhs, space] : {std::pair(3, MemorySpace::host), {1, MemorySpace::device}}) {
          const Problem<T> problem(solver, a, op, nrhs);
          std::vector<T> to(problem.b.size());
          const auto refined =
              refiner.solve(op, {problem.b.data(), problem.rows, nrhs, problem.rows, space},
                            {to.data(), problem.rows, nrhs, problem.rows, space}, {.max_steps = 2});
          EXPECT_GT(refined.steps, 0);
          x[exchange_backend].insert(x[exchange_backend].end(), to.begin(), to.end());
          error[exchange_backend].insert(
              error[exchange_backend].end(),
              {refined.error.componentwise, refined.error.normwise, double(refined.steps)});
        }
      }
      EXPECT_EQ(x[device::ExchangeBackend::mpi], x[device::ExchangeBackend::puts])
          << grid.name() << ' ' << char(op);
      EXPECT_EQ(error[device::ExchangeBackend::mpi], error[device::ExchangeBackend::puts])
          << grid.name() << ' ' << char(op);
    }
  }
}

TEST(DeviceEngine, RefusesVectorsOfADeviceWhereTheProcessorsSolve) {
  const auto a = random_matrix<double>({.n = 40, .seed = 4});
  TriangularSolver<double> solver(MPI_COMM_WORLD, factored(a), {.grid = grids_of(world_size()).front()});
  krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a, solver.partition());
  const Problem<double> problem(solver, a, Op::none, 1);
  std::vector<double> x(problem.b.size());
  const Vectors<double> to{x.data(), problem.rows, 1, problem.rows, MemorySpace::device};
  EXPECT_THAT([&] { RefinedSolver<double>(matrix, solver).solve(Op::none, problem.b, to, {}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("in a device's memory")));
}

TEST(DeviceEngineThreads, RefinementDoesNotDependOnTheNumberOfThreads) {
  const auto a = random_matrix<double>({.n = 300, .per_row = 3, .seed = 21});
  const auto factors = factored(a);
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    TriangularSolver<double> solver(
        MPI_COMM_WORLD, factors,
        {.grid = grids_of(world_size()).back(), .device = Device::emulated, .threads = threads, .grain = 60});
    krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a, solver.partition());
    const Problem<double> problem(solver, a, Op::transpose, 3);
    std::vector<double> x(problem.b.size());
    const auto refined =
        RefinedSolver<double>(matrix, solver)
            .solve(Op::transpose, {problem.b.data(), problem.rows, 3}, {x.data(), problem.rows, 3}, {});
    x.push_back(refined.error.componentwise);
    if (first.empty()) first = x;
    EXPECT_EQ(x, first) << threads;
  }
}

class DeviceEngineFailureThreads : public testing::TestWithParam<device::ExchangeBackend> {};
INSTANTIATE_TEST_SUITE_P(ExchangeBackends, DeviceEngineFailureThreads,
                         testing::Values(device::ExchangeBackend::puts, device::ExchangeBackend::mpi));

TEST_P(DeviceEngineFailureThreads, ARankThatFailsEndsTheOthersSolve) {
  if (world_size() == 1) GTEST_SKIP() << "one rank has nobody to wait for";
  const auto a = random_matrix<double>({.n = 80, .per_row = 2, .seed = 4});
  TriangularSolver<double> solver(MPI_COMM_WORLD, factored(a),
                                  {.grid = grids_of(world_size()).front(),
                                   .device = Device::emulated,
                                   .exchange_backend = GetParam(),
                                   .threads = 3});
  const Problem<double> problem(solver, a, Op::none, 1);
  solver.prepare(Op::none, 1);
  if (testing_support::world_rank() == world_size() - 1) {
    solver.revoke({ErrorKind::environment, "this rank has had enough"});
  } else {
    EXPECT_THAT([&] { problem.solve_with(solver); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("had enough")));
  }
}

TEST(DeviceEngine, RefusesPlansWithoutDependencies) {
  const auto factors = factored(random_matrix<double>({.n = 20, .seed = 4}));
  EXPECT_THAT(
      [&] {
        TriangularSolver<double>(
            MPI_COMM_WORLD, factors,
            {.grid = grids_of(world_size()).front(), .device = Device::emulated, .dependencies = false});
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("--device native")));
}

}  // namespace
}  // namespace trisweep::solve
