#include "trisweep/hmatrix/electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/matrix_file.hpp"
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

CompressedBlocks<double> made_blocks(const transport::Team& team, const Conductors& conductors,
                                     const SingleLayer& kernel, const ChargeOptions& options,
                                     Observer& observer) {
  auto tree = transport::collectively(
      team.comm, [&] { return make_cluster_tree(centroids(conductors.mesh), options.leaf_size); });
  return compress_blocks<double>(team, kernel, std::move(tree), options.matrix, observer);
}

CompressedBlocks<double> loaded_blocks(const transport::Team& team, const Conductors& conductors,
                                       const std::filesystem::path& file) {
  auto blocks = load_blocks<double>(team.comm, file);
  transport::collectively(team.comm, [&] {
    if (is_tree_of(blocks.tree, centroids(conductors.mesh))) return;
    throw InputError(file, 0, fmt::format("not the matrix of {}", conductors.name),
                     "give the object that it was saved for, of the same shape and size");
  });
  return blocks;
}

}  // namespace

ChargeResult solve_charge(const transport::Team& team, const Conductors& conductors,
                          const ChargeOptions& options, const MatrixFiles& files, Observer& observer) {
  const auto kernel =
      transport::collectively(team.comm, [&] { return SingleLayer(conductors.mesh, coulomb_factor()); });
  auto blocks = files.load.empty() ? made_blocks(team, conductors, kernel, options, observer)
                                   : loaded_blocks(team, conductors, files.load);
  if (files.save) save_blocks(team.comm, blocks, files.output);
  const double eps = blocks.options.compression.eps;
  HMatrix<double> a(team, std::move(blocks));
  ChargeResult result{.eps = eps, .matrix = a.statistics()};
  std::vector<double> potential, density(usize(a.local_rows()));
  for (const Index t : own_triangles(a)) potential.push_back(conductors.potential[usize(t)]);
  result.product_seconds = fastest_product(a, potential, options.products);
  result.sampled_error = sampled_error<double>(a, kernel, options.sampled_rows);

  observer.progress("solve", 0);
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
