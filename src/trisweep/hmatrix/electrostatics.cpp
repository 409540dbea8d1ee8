#include "trisweep/hmatrix/electrostatics.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/single_layer.hpp"

namespace trisweep::hmatrix {
namespace {

// This rank's rows, as numbers of triangles.
std::span<const Index> own_triangles(const HMatrix<double>& a) {
  return std::span(a.tree().order)
      .subspan(usize(a.partition().first(a.comm().rank())), usize(a.local_rows()));
}

double fastest_product(HMatrix<double>& a, const std::vector<double>& x, int count) {
  std::vector<double> y(x.size());
  double fastest = HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    a(x, y);
    fastest = std::min(fastest, a.comm().max(seconds_since(start)));
  }
  return fastest;
}

}  // namespace

ChargeResult solve_charge(const transport::Team& team, const Conductors& conductors,
                          const ChargeOptions& options, Observer& observer) {
  const auto [kernel, tree] = transport::collectively(team.comm, [&] {
    return std::pair(SingleLayer(conductors.mesh, coulomb_factor()),
                     make_cluster_tree(centroids(conductors.mesh), options.leaf_size));
  });
  HMatrix<double> a(team, kernel, tree, options.matrix, observer);
  a.use_device(options.where);
  ChargeResult result{.matrix = a.statistics()};
  if (a.device() != nullptr) result.device = a.device()->counts();
  std::vector<double> potential, density(usize(a.local_rows()));
  for (const Index t : own_triangles(a)) potential.push_back(conductors.potential[usize(t)]);
  result.product_seconds = fastest_product(a, potential, options.products);
  result.sampled_error = sampled_error<double>(a, kernel, options.sampled_rows);

  observer.progress("solve", 0);
  if (options.recorder != nullptr) options.recorder->start();
  a.record_in(options.recorder);
  const auto start = Clock::now();
  const krylov::Identity no_preconditioner;
  const auto& method = find_named(krylov::methods<double>(), "method", options.method);
  result.solve = method.solve(team, {a, no_preconditioner}, potential, density, options.solver).front();
  result.solve_seconds = team.comm.max(seconds_since(start));

  std::vector<double> charge(2);
  for (std::size_t i = 0; i < density.size(); ++i) {
    const Index t = own_triangles(a)[i];
    const double of_triangle = density[i] * area(conductors.mesh.corners(t));
    charge[1] += of_triangle;
    if (t < conductors.counted) charge[0] += of_triangle;
  }
  team.comm.sum(charge);
  result.charge = charge[0];
  result.total_charge = charge[1];
  return result;
}

}  // namespace trisweep::hmatrix
