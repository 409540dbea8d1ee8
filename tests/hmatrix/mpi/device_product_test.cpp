#include "trisweep/hmatrix/device_product.hpp"

#include <gtest/gtest.h>

#include "apps/bem/electrostatics.hpp"
#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/core/named.hpp"

namespace trisweep::hmatrix {
namespace {

using device::GemvOptions;
using device::GemvSum;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::random_vector;

// All of y = A x, on a device.
std::vector<double> product_on(const DeviceOptions& where, int threads, const transport::Communicator& comm,
                               DeviceCounts* counts = nullptr) {
  Crew crew(threads);
  const bem::TriangleMesh mesh = bem::sphere_mesh({5, 7}, 1, {0, 0, 0});
  const bem::SingleLayer kernel(mesh, 1);
  const ClusterTree tree = make_cluster_tree(centroids(mesh), 12);
  HMatrix<double> a({comm, crew}, kernel, tree, {.blocks = {.least_side = 12}, .strip_rows = 30});
  a.use_device(where);
  const auto all = random_vector<double>(usize(mesh.size()), 8);
  const auto first = all.begin() + a.partition().first(comm.rank());
  const std::vector<double> x(first, first + a.local_rows());
  std::vector<double> y(x.size()), whole;
  a(x, y);
  if (counts != nullptr) *counts = a.device()->counts();
  for (Index rank = 0; rank < comm.size(); ++rank) {
    std::vector<double> part = y;
    part.resize(usize(a.partition().count(rank)));
    comm.broadcast(part, rank);
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

DeviceOptions on_host(const GemvOptions& gemv, Index gpus = 1, model::Way way = model::Way::peer) {
  return {.device = engine::Device::host, .gemv = gemv, .gpus = gpus, .way = way};
}

TEST(DeviceProduct, IsThatOfTheHostByEveryKernel) {
  const transport::Communicator world(MPI_COMM_WORLD);
  const auto expected = product_on({}, 1, world);
  const double allowed = 1e-12 * largest_magnitude(expected);
  for (const GemvOptions& gemv :
       {GemvOptions{.merged = true}, GemvOptions{}, GemvOptions{.sum = GemvSum::strips},
        GemvOptions{.cut = device::GemvCut::count, .count = 200, .padded = true}})
    EXPECT_LT(largest_difference(product_on(on_host(gemv), 2, world), expected), allowed);
}

TEST(DeviceProduct, TheMergedKernelLeavesEveryBitAsItIsThreads) {
  const transport::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto alone = product_on(on_host({.merged = true}), 1, self);
  EXPECT_EQ(product_on(on_host({.merged = true}), 1, world), alone);
  EXPECT_EQ(product_on(on_host({.merged = true}), 3, world), alone);
}

TEST(DeviceProduct, SeveralDevicesOfAProcess) {
  const transport::Communicator self(MPI_COMM_SELF);
  if (transport::Communicator(MPI_COMM_WORLD).rank() > 0) return;
  const auto expected = product_on({}, 1, self);
  const double allowed = 1e-12 * largest_magnitude(expected);
  for (const Index gpus : {1, 2, 4}) {
    std::vector<std::vector<double>> results;
    for (const auto& [name, way] : model::ways()) {
      DeviceCounts counts;
      results.push_back(product_on(on_host({.count = 20}, gpus, way), 1, self, &counts));
      EXPECT_LT(largest_difference(results.back(), expected), allowed) << gpus << name;
      // x to each; of y by way of the host's memory twice.
      const Offset sums = way == model::Way::set ? 2 * (gpus - 1) + 1 : gpus;
      EXPECT_EQ(counts.transfers, gpus + sums) << gpus << name;
      EXPECT_EQ(counts.transferred_bytes, (gpus + sums) * std::ssize(expected) * 8);
    }
    // The merged kernel adds in one order, and so do transfers.
    for (const auto& [name, way] : model::ways())
      EXPECT_EQ(product_on(on_host({.merged = true}, gpus, way), 1, self),
                product_on(on_host({.merged = true}, gpus), 1, self));
  }
}

TEST(DeviceProduct, ChargesAreFoundWithProductsOnADevice) {
  const transport::Communicator world(MPI_COMM_WORLD);
  Crew crew(2);
  const bem::Conductors pair = bem::make_object("spheres", {.triangles = 600});
  bem::ChargeOptions options{
      .matrix = {.compression = {.eps = 1e-5}}, .solver = {.tolerance = 1e-9}, .products = 1};
  const bem::ChargeResult host = bem::solve_charge({world, crew}, pair, options);
  options.where = on_host({.merged = true});
  for (const char* const method : {"bicgstab", "pipelined-bicgstab"}) {
    options.method = method;
    const bem::ChargeResult device = bem::solve_charge({world, crew}, pair, options);
    EXPECT_EQ(device.solve.outcome, krylov::Outcome::converged);
    EXPECT_NEAR(device.charge / host.charge, 1, 1e-7);
    // Some ranks may have no rows.
    EXPECT_GT(world.sum(double(device.device.gemv.panels)), 0);
  }
}

// Of the pair, with products on a device; vectors are there as well, or the host's.
struct SolvedOnDevice {
  std::vector<double> density;  // this rank's
  krylov::BicgstabResult result;
  device::StepCounts steps;
};
SolvedOnDevice solved_on_device(const transport::Communicator& comm, const char* method, bool vectors_there,
                                int threads) {
  Crew crew(threads);
  const transport::Team team{comm, crew};
  const bem::Conductors pair = bem::make_object("spheres", {.triangles = 300});
  HMatrix<double> a(team, bem::SingleLayer(pair.mesh, 1), make_cluster_tree(centroids(pair.mesh), 16),
                    {.strip_rows = 50});
  a.use_device(on_host({.merged = true}));
  SolvedOnDevice solved;
  const Index first = a.partition().first(comm.rank());
  std::vector<double> potential;
  for (Index i = 0; i < a.local_rows(); ++i)
    potential.push_back(pair.potential[usize(a.tree().order[usize(first + i)])]);
  solved.density.resize(potential.size());
  const auto vectors = vectors_on<double>(engine::Device::host, crew);
  const krylov::Identity none;
  const krylov::Preconditioned<double> system{a, none, vectors_there ? vectors.get() : nullptr};
  solved.result = find_named(krylov::methods<double>(), "method", method)
                      .solve(team, system, potential, solved.density, {.tolerance = 1e-8})
                      .front();
  solved.steps = vectors->counts();
  return solved;
}

TEST(DeviceProduct, AllOfBicgstabIsOnTheDeviceThreads) {
  const transport::Communicator world(MPI_COMM_WORLD);
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

// GMRES has its basis in the host's memory, and a preconditioner that is the host's is given copies.
TEST(DeviceProduct, WhatIsNotOnTheDeviceTakesCopies) {
  const transport::Communicator world(MPI_COMM_WORLD);
  Crew crew(2);
  const bem::Conductors pair = bem::make_object("spheres", {.triangles = 300});
  bem::ChargeOptions options{
      .matrix = {.compression = {.eps = 1e-5}}, .solver = {.tolerance = 1e-9}, .products = 1};
  const bem::ChargeResult host = bem::solve_charge({world, crew}, pair, options);
  options.where = on_host({.merged = true});
  options.method = "gmres";
  EXPECT_EQ(bem::solve_charge({world, crew}, pair, options).steps.steps, 0);
  options.preconditioner = "block-jacobi";
  for (const char* const method : {"bicgstab", "pipelined-bicgstab"}) {
    options.method = method;
    const bem::ChargeResult result = bem::solve_charge({world, crew}, pair, options);
    EXPECT_EQ(result.solve.outcome, krylov::Outcome::converged);
    EXPECT_NEAR(result.charge / host.charge, 1, 1e-7);
    // Two applications in an iteration.
    EXPECT_GE(world.sum(double(result.steps.copied_bytes)),
              result.solve.iterations * 4 * 8 * pair.mesh.size());
  }
}

TEST(DeviceProduct, WithoutAGpuThatIsSaidOnEveryRank) {
  const transport::Communicator world(MPI_COMM_WORLD);
#if !defined(TRISWEEP_CUDA)
  EXPECT_THROW(product_on({.device = engine::Device::cuda}, 1, world), Error);
#endif
}

}  // namespace
}  // namespace trisweep::hmatrix
