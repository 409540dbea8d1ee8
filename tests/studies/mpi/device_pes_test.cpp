// Designs for several PEs with a process for each PE, whose heaps the others reach.

#include "studies/pes/device_pes.hpp"

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "trisweep/sptrsv/backward_error.hpp"

namespace trisweep::studies {
namespace {

template <class T>
class DevicePesOfRanks : public ::testing::Test {};
TYPED_TEST_SUITE(DevicePesOfRanks, testing_support::Scalars);

// What is counted but for polls and reads, which the clock decides, is what one process counts.
template <Scalar T>
void expect_solution(const mpi::Communicator& world, const sptrsv::LowerSystem<T>& system,
                     const NamedDesign& design, Index nrhs) {
  DevicePeOptions options{.layout = {.pes = world.size(), .tasks = 4}};
  const auto b = testing_support::random_vector<T>(usize(system.rows()) * usize(nrhs), 5);
  std::vector<T> x(b.size()), by_one(b.size());
  const Vectors<const T> right(b.data(), system.rows(), nrhs);
  const PeCounts one =
      DevicePes<T>(system, design, options).solve(right, {by_one.data(), system.rows(), nrhs}).total();
  options.ranks = &world;
  DevicePes<T> solver(system, design, options);
  for (int time = 0; time < 2; ++time) {
    const PeReport report = solver.solve(right, {x.data(), system.rows(), nrhs});
    EXPECT_EQ(std::ssize(report.pe), world.size());
    const PeCounts counts = report.total();
    EXPECT_EQ(counts.rows, one.rows);
    EXPECT_EQ(counts.entries, one.entries);
    EXPECT_EQ(counts.writes, one.writes);
    EXPECT_LT(backward_error<T>(system, right, {x.data(), system.rows(), nrhs}),
              100 * std::numeric_limits<RealOf<T>>::epsilon())
        << design.name << " " << nrhs;
  }
}

TYPED_TEST(DevicePesOfRanks, SolveByEveryDesignWithHeaps) {
  using T = TypeParam;
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() > most_pes) GTEST_SKIP();
  const auto all = testing_support::pe_systems<T>(5);
  for (const NamedDesign& design : designs()) {
    if (design.exchange == Exchange::unified) continue;
    for (const auto& system : all) expect_solution(world, system, design, 1);
    expect_solution(world, all.front(), design, 3);
  }
}

TEST(DevicePesOfRanks, RefuseManagedMemoryAndOtherNumbersOfPes) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const auto system = testing_support::pe_systems<double>(5).front();
  DevicePeOptions options{.layout = {.pes = world.size()}, .ranks = &world};
  EXPECT_THROW(DevicePes<double>(system, find_design("unified"), options), Error);
  options.layout.pes = world.size() + 1;
  EXPECT_THROW(DevicePes<double>(system, find_design("zero-copy"), options), Error);
}

}  // namespace
}  // namespace trisweep::studies
