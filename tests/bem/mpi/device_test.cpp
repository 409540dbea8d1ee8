// Charges with products and vectors on a device.

#include <gtest/gtest.h>

#include "apps/bem/electrostatics.hpp"

namespace trisweep::bem {
namespace {

const studies::DeviceProductOptions emulated{.device = backend::Device::emulated};

TEST(ChargesOnADevice, AreThoseOfTheHost) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(2);
  const Conductors pair = make_object("spheres", {.triangles = 600});
  ChargeOptions options{
      .matrix = {.compression = {.eps = 1e-5}}, .solver = {.tolerance = 1e-9}, .products = 1};
  const ChargeResult host = solve_charge({world, pool}, pair, options);
  options.where = emulated;
  for (const char* const method : {"bicgstab", "pipelined-bicgstab"}) {
    options.method = method;
    const ChargeResult device = solve_charge({world, pool}, pair, options);
    EXPECT_EQ(device.solve.outcome, krylov::Outcome::converged);
    EXPECT_NEAR(device.charge / host.charge, 1, 1e-7);
    // Some ranks may have no rows.
    EXPECT_GT(world.sum(double(device.device.gemv.panels)), 0);
  }
}

// GMRES has its basis in the host's memory, and a preconditioner that is the host's is given copies.
TEST(ChargesOnADevice, WhatIsNotOnTheDeviceTakesCopies) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(2);
  const Conductors pair = make_object("spheres", {.triangles = 300});
  ChargeOptions options{
      .matrix = {.compression = {.eps = 1e-5}}, .solver = {.tolerance = 1e-9}, .products = 1};
  const ChargeResult host = solve_charge({world, pool}, pair, options);
  options.where = emulated;
  options.method = "gmres";
  EXPECT_EQ(solve_charge({world, pool}, pair, options).steps.steps, 0);
  options.preconditioner = "block-jacobi";
  for (const char* const method : {"bicgstab", "pipelined-bicgstab"}) {
    options.method = method;
    const ChargeResult result = solve_charge({world, pool}, pair, options);
    EXPECT_EQ(result.solve.outcome, krylov::Outcome::converged);
    EXPECT_NEAR(result.charge / host.charge, 1, 1e-7);
    // Two applications in an iteration.
    EXPECT_GE(world.sum(double(result.steps.copied_bytes)),
              result.solve.iterations * 4 * 8 * pair.mesh.size());
  }
}

}  // namespace
}  // namespace trisweep::bem
