// What the host does with a GPU: how often it waits, counted by the fake one, and what it says without one.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "support/solver.hpp"
#include "trisweep/backend/memory.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {
namespace {

using engine::Device;
using testing_support::factored;
using testing_support::Problem;
using testing_support::random_matrix;

template <class Work>
long waits_of(const Work& work) {
  const long before = fake_cuda_waits();
  work();
  return fake_cuda_waits() - before;
}

matrix::Csr<double> random_matrix_times(double factor) {
  auto a = random_matrix<double>({.n = 60, .per_row = 2, .seed = 8});
  for (double& value : a.value) value *= factor;
  return a;
}

// The factors are of a matrix that is as much larger.
struct OnDevice {
  explicit OnDevice(double larger = 1)
      : solver(MPI_COMM_WORLD, factored(random_matrix_times(larger)),
               {.grid = {1, 1, 1}, .device = Device::cuda}) {}

  matrix::Csr<double> a = random_matrix_times(1);
  TriangularSolver<double> solver;
  krylov::DistributedMatrix<double> matrix{MPI_COMM_WORLD, &a, solver.partition()};
  Problem<double> problem{solver, a, Op::none, 2};

  Vectors<const double> b() const { return {problem.b.data(), problem.rows, problem.nrhs}; }
};

TEST(WaitsForGpuThreads, OneForASolve) {
  OnDevice of;
  of.solver.prepare(Op::none, 2);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<double> x(of.problem.b.size());
    EXPECT_EQ(waits_of([&] { of.solver.solve(Op::none, of.b(), {x.data(), of.problem.rows, 2}); }), 1);
    EXPECT_LT(of.problem.error(x), 1000);
  }
}

TEST(WaitsForGpuThreads, NoneToStartASolveOfTheDevicesVectors) {
  OnDevice of;
  of.solver.prepare(Op::none, 2);
  const Index rows = of.problem.rows;
  const backend::DeviceArray<const double> b(Device::cuda, std::span<const double>(of.problem.b));
  const backend::DeviceArray<double> x(Device::cuda, of.problem.b.size());
  const backend::Stream stream(Device::cuda);
  EXPECT_EQ(waits_of([&] {
              of.solver.start(Op::none, {b.data(), rows, 2, rows, MemorySpace::device},
                              {x.data(), rows, 2, rows, MemorySpace::device}, stream.get());
            }),
            0);
  backend::runtime(Device::cuda).wait(stream.get());
  std::vector<double> found(of.problem.b.size());
  backend::copy(Device::cuda, found.data(), x.data(), found.size());
  EXPECT_LT(of.problem.error(found), 1000);
}

// A solve and what measures its solution are one step. At the end x is read, by a copy and a wait.
TEST(WaitsForGpuThreads, OneForAStepOfRefinement) {
  OnDevice of(1 + 1e-3);
  RefinedSolver<double> refined(of.matrix, of.solver);
  refined.prepare(Op::none, 2);
  std::vector<double> x(of.problem.b.size());
  const auto solve = [&](int steps) {
    return waits_of([&] {
      const Refined done =
          refined.solve(Op::none, of.b(), {x.data(), of.problem.rows, 2}, {.max_steps = steps});
      EXPECT_EQ(done.steps, steps);
    });
  };
  for (const int steps : {0, 1, 2}) EXPECT_EQ(solve(steps), 1 + steps + 2);
}

// Not taken for a machine without a GPU; nor is the error left for a later call to report.
TEST(DriverThreads, TooOldIsSaidWithBothVersions) {
  setenv("FAKE_CUDA_DRIVER", "old", 1);
  EXPECT_THAT(
      [] { backend::require_device(Device::cuda); },
      testing::ThrowsMessage<Error>(testing::AllOf(testing::HasSubstr("driver version is insufficient"),
                                                   testing::HasSubstr("12.0, this build needs 13.0"))));
  unsetenv("FAKE_CUDA_DRIVER");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_NO_THROW(backend::require_device(Device::cuda));
}

}  // namespace
}  // namespace trisweep::solve
