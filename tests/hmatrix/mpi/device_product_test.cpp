#include "trisweep/hmatrix/device_product.hpp"

#include <gtest/gtest.h>

#include "apps/bem/conductors.hpp"
#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/backend/device.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::hmatrix {
namespace {

using backend::Device;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::random_vector;

// All of y = A x, on a device.
std::vector<double> product_of(Device device, int threads, const mpi::Communicator& comm) {
  ThreadPool pool(threads);
  const bem::TriangleMesh mesh = bem::sphere_mesh({5, 7}, 1, {0, 0, 0});
  const bem::SingleLayer kernel(mesh, 1);
  const ClusterTree tree = make_cluster_tree(centroids(mesh), 12);
  HMatrix<double> a({comm, pool}, kernel, tree, {.blocks = {.least_side = 12}, .block_rows = 30});
  a.use_device(device);
  const auto all = random_vector<double>(usize(mesh.size()), 8);
  const auto first = all.begin() + a.partition().first(comm.rank());
  const std::vector<double> x(first, first + a.local_rows());
  std::vector<double> y(x.size()), whole;
  a(x, y);
  for (Index rank = 0; rank < comm.size(); ++rank) {
    std::vector<double> part = y;
    part.resize(usize(a.partition().count(rank)));
    comm.broadcast(part, rank);
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

TEST(DeviceProduct, IsThatOfTheHost) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const auto expected = product_of(Device::native, 1, world);
  EXPECT_LT(largest_difference(product_of(Device::emulated, 2, world), expected),
            1e-12 * largest_magnitude(expected));
}

TEST(DeviceProduct, HasTheSameBitsOnAnyNumberOfRanksAndWorkersThreads) {
  const mpi::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto alone = product_of(Device::emulated, 1, self);
  EXPECT_EQ(product_of(Device::emulated, 1, world), alone);
  EXPECT_EQ(product_of(Device::emulated, 3, world), alone);
}

// Of the pair, with products on a device; vectors are there as well, or the host's.
struct SolvedOnDevice {
  std::vector<double> density;  // this rank's
  krylov::KrylovResult result;
  device::StepCounts steps;
};
SolvedOnDevice solved_on_device(const mpi::Communicator& comm, const char* method, bool vectors_there,
                                int threads) {
  ThreadPool pool(threads);
  const mpi::ParallelContext context{comm, pool};
  const bem::Conductors pair = bem::make_object("spheres", {.triangles = 300});
  HMatrix<double> a(context, bem::SingleLayer(pair.mesh, 1), make_cluster_tree(centroids(pair.mesh), 16),
                    {.block_rows = 50});
  a.use_device(Device::emulated);
  SolvedOnDevice solved;
  const Index first = a.partition().first(comm.rank());
  std::vector<double> potential;
  for (Index i = 0; i < a.local_rows(); ++i)
    potential.push_back(pair.potential[usize(a.tree().order[usize(first + i)])]);
  solved.density.resize(potential.size());
  const auto vectors = vectors_on<double>(Device::emulated, pool);
  const krylov::Identity none;
  const krylov::Preconditioned<double> system{a, none, vectors_there ? vectors.get() : nullptr};
  solved.result = find_named(krylov::methods<double>(), "method", method)
                      .solve(context, system, potential, solved.density, {.tolerance = 1e-8})
                      .front();
  solved.steps = vectors->counts();
  return solved;
}

TEST(DeviceProduct, AllOfBicgstabIsOnTheDeviceThreads) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  for (const char* const method : {"bicgstab", "pipelined-bicgstab"}) {
    const SolvedOnDevice host = solved_on_device(world, method, false, 1);
    ASSERT_EQ(host.result.outcome, krylov::Outcome::converged);
    EXPECT_EQ(host.steps.steps, 0);
    for (const int threads : {1, 2, 4}) {
      const SolvedOnDevice device = solved_on_device(world, method, true, threads);
      EXPECT_EQ(device.density, host.density) << method << threads;
      EXPECT_EQ(device.result.history, host.result.history) << method << threads;
      EXPECT_GT(device.steps.steps, 2 * device.result.iterations);
      // b and x to the device, x back, and two to see in which units products are: nothing in an iteration.
      EXPECT_EQ(device.steps.copied_bytes, 5 * 8 * std::ssize(device.density));
    }
  }
}

TEST(DeviceProduct, WithoutAGpuThatIsSaidOnEveryRank) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  try {
    backend::require_device(Device::cuda);
    GTEST_SKIP() << "there is a GPU";
  } catch (const Error&) {
  }
  EXPECT_THROW(product_of(Device::cuda, 1, world), Error);
}

}  // namespace
}  // namespace trisweep::hmatrix
