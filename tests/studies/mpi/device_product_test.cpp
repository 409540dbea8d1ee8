#include "studies/himv/device_product.hpp"

#include <gtest/gtest.h>

#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"

namespace trisweep::studies {
namespace {

using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::random_vector;

// All of y = A x, on a device.
std::vector<double> product_on(const DeviceProductOptions& where, int threads, const mpi::Communicator& comm,
                               DeviceCounts* counts = nullptr) {
  ThreadPool pool(threads);
  const bem::TriangleMesh mesh = bem::sphere_mesh({5, 7}, 1, {0, 0, 0});
  const bem::SingleLayer kernel(mesh, 1);
  const hmatrix::ClusterTree tree = hmatrix::make_cluster_tree(centroids(mesh), 12);
  hmatrix::HMatrix<double> a({comm, pool}, kernel, tree, {.blocks = {.least_side = 12}, .block_rows = 30});
  const DeviceCounts made = use_devices(a, where);
  const auto all = random_vector<double>(usize(mesh.size()), 8);
  const auto first = all.begin() + a.partition().first(comm.rank());
  const std::vector<double> x(first, first + a.local_rows());
  std::vector<double> y(x.size()), whole;
  a(x, y);
  if (counts != nullptr) *counts = made;
  for (Index rank = 0; rank < comm.size(); ++rank) {
    std::vector<double> part = y;
    part.resize(usize(a.partition().count(rank)));
    comm.broadcast(part, rank);
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

DeviceProductOptions on_host(const GemvOptions& gemv, Index gpus = 1, Way way = Way::peer) {
  return {.device = backend::Device::emulated, .gemv = gemv, .gpus = gpus, .way = way};
}

TEST(LaunchedProduct, IsThatOfTheHostByEveryKernel) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const auto expected = product_on({}, 1, world);
  const double allowed = 1e-12 * largest_magnitude(expected);
  for (const GemvOptions& gemv :
       {GemvOptions{.merged = true}, GemvOptions{}, GemvOptions{.sum = GemvSum::row_blocks},
        GemvOptions{.cut = GemvCut::count, .count = 200, .padded = true}})
    EXPECT_LT(largest_difference(product_on(on_host(gemv), 2, world), expected), allowed);
}

TEST(LaunchedProduct, SeveralDevicesOfAProcess) {
  const mpi::Communicator self(MPI_COMM_SELF);
  if (mpi::Communicator(MPI_COMM_WORLD).rank() > 0) return;
  const auto expected = product_on({}, 1, self);
  const double allowed = 1e-12 * largest_magnitude(expected);
  for (const Index gpus : {1, 2, 4}) {
    std::vector<std::vector<double>> results;
    for (const auto& [name, way] : ways()) {
      DeviceCounts counts;
      results.push_back(product_on(on_host({.count = 20}, gpus, way), 1, self, &counts));
      EXPECT_LT(largest_difference(results.back(), expected), allowed) << gpus << name;
      // x to each; of y by way of the host's memory twice.
      const Offset sums = way == Way::set ? 2 * (gpus - 1) + 1 : gpus;
      EXPECT_EQ(counts.transfers, gpus + sums) << gpus << name;
      EXPECT_EQ(counts.transferred_bytes, (gpus + sums) * std::ssize(expected) * 8);
    }
    // The merged kernel adds in one order, and so do transfers.
    for (const auto& [name, way] : ways())
      EXPECT_EQ(product_on(on_host({.merged = true}, gpus, way), 1, self),
                product_on(on_host({.merged = true}, gpus), 1, self));
  }
}

}  // namespace
}  // namespace trisweep::studies
