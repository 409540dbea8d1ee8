#include "apps/bem/electrostatics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trisweep::bem {
namespace {

ChargeResult charge_of(const Conductors& conductors, double eps) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(2);
  const ChargeOptions options{
      .matrix = {.compression = {.eps = eps}}, .solver = {.tolerance = 1e-9}, .products = 1};
  return solve_charge({world, pool}, conductors, options);
}

double error_of(const Conductors& conductors, double eps) {
  const ChargeResult result = charge_of(conductors, eps);
  EXPECT_EQ(result.solve.outcome, krylov::Outcome::converged);
  EXPECT_LT(result.sampled_error, eps);
  return std::abs(result.charge / *conductors.exact_charge - 1);
}

TEST(Electrostatics, TheErrorOfASphereFallsWithTheSizeOfItsTriangles) {
  const double coarse = error_of(make_object("sphere", {.triangles = 300}), 1e-6);
  const double fine = error_of(make_object("sphere", {.triangles = 1200}), 1e-6);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST(Electrostatics, TheErrorOfTwoSpheresFallsAsWell) {
  const ObjectOptions shape{.radius = {1, 1}, .distance = 2.5, .potential = {10, -10}};
  ObjectOptions coarse = shape, fine = shape;
  coarse.triangles = 600;
  fine.triangles = 2400;
  EXPECT_NEAR(error_of(make_object("spheres", coarse), 1e-6) / error_of(make_object("spheres", fine), 1e-6),
              4, 0.6);
}

TEST(Electrostatics, OppositeSpheresHaveOppositeCharges) {
  const Conductors pair = make_object("spheres", {.triangles = 1200});
  const ChargeResult result = charge_of(pair, 1e-7);
  EXPECT_LT(std::abs(result.total_charge), 1e-7 * result.charge);
  // Nothing is left for a sphere without a potential but what the other one induces.
  const ChargeResult induced =
      charge_of(make_object("spheres", {.triangles = 600, .potential = {0, 1}}), 1e-5);
  EXPECT_LT(induced.charge, 0);
  EXPECT_GT(induced.total_charge, -2 * induced.charge);
}

}  // namespace
}  // namespace trisweep::bem
