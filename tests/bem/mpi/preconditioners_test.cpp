#include "trisweep/hmatrix/preconditioners.hpp"

#include <gtest/gtest.h>

#include "apps/bem/electrostatics.hpp"
#include "support/largest.hpp"
#include "trisweep/core/named.hpp"

namespace trisweep::bem {
namespace {

class PreconditionersOf : public testing::TestWithParam<std::string> {
 protected:
  const mpi::Communicator world{MPI_COMM_WORLD}, self{MPI_COMM_SELF};
};
INSTANTIATE_TEST_SUITE_P(All, PreconditionersOf,
                         testing::Values("none", "block-jacobi", "near-field-lu", "rank-one"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

ChargeResult charge_on(const mpi::Communicator& comm, const std::string& preconditioner,
                       const std::string& method) {
  ThreadPool pool(1);
  const ChargeOptions options{.leaf_size = 16,
                              .matrix = {.compression = {.eps = 1e-5}, .block_rows = 64},
                              .method = method,
                              .preconditioner = preconditioner,
                              .solver = {.tolerance = 1e-8},
                              .products = 1};
  return solve_charge({comm, pool}, make_object("human", {.triangles = 900}), options);
}

TEST_P(PreconditionersOf, LeaveTheSolutionAndTakeFewerIterations) {
  if (world.rank() > 0) return;
  const ChargeResult plain = charge_on(self, "none", "bicgstab");
  const ChargeResult result = charge_on(self, GetParam(), "bicgstab");
  EXPECT_EQ(result.solve.outcome, krylov::Outcome::converged);
  EXPECT_LE(result.solve.residual, 1e-8);
  EXPECT_NEAR(result.charge / plain.charge, 1, 1e-6);
  if (GetParam() != "none") EXPECT_LT(result.solve.iterations, plain.solve.iterations);
}

TEST_P(PreconditionersOf, GoWithThePipelinedMethodUnlessTheyVary) {
  if (GetParam() == "rank-one") {
    EXPECT_THROW(charge_on(world, GetParam(), "pipelined-bicgstab"), Error);
  } else if (world.rank() == 0) {
    const ChargeResult result = charge_on(self, GetParam(), "pipelined-bicgstab");
    EXPECT_EQ(result.solve.outcome, krylov::Outcome::converged);
    EXPECT_NEAR(result.solve.iterations, charge_on(self, GetParam(), "bicgstab").solve.iterations, 3);
  }
}

// M^-1 b on all rows.
std::vector<double> applied(const mpi::Communicator& comm, int threads, const std::string& name) {
  const auto points = centroids(make_object("sphere", {.triangles = 600}).mesh);
  const auto entry = [&](Index i, Index j) {
    return 1 / (0.01 + length(points[usize(i)] - points[usize(j)]));
  };
  const hmatrix::IntegralKernel<double> kernel(entry);
  ThreadPool pool(threads);
  const mpi::ParallelContext context{comm, pool};
  const hmatrix::HMatrixOptions options{.block_rows = 20};
  hmatrix::HMatrix<double> a(context, kernel, hmatrix::make_cluster_tree(points, 16), options);
  const auto preconditioner = find_named(hmatrix::preconditioners<double>(), "preconditioner", name)
                                  .make({context, kernel, points, a, options});
  std::vector<double> b, x(usize(a.local_rows())), all;
  for (Index i = 0; i < a.local_rows(); ++i) b.push_back(1 + std::sin(a.partition().first(comm.rank()) + i));
  (*preconditioner)(b, x);
  for (Index r = 0; r < comm.size(); ++r) {
    auto part = x;
    comm.broadcast(part, r);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST_P(PreconditionersOf, AreTheSameOnAnyNumberOfRanksAndThreads) {
  const auto alone = applied(self, 1, GetParam()), together = applied(world, 2, GetParam());
  if (GetParam() == "none" || GetParam() == "block-jacobi") EXPECT_EQ(together, alone);
  // Inner products of the inner iterations, and sums of a sweep, depend on ranks by their rounding.
  EXPECT_LT(testing_support::largest_difference(together, alone),
            1e-7 * testing_support::largest_magnitude(alone));
  EXPECT_GT(testing_support::largest_magnitude(alone), 0);
}

}  // namespace
}  // namespace trisweep::bem
