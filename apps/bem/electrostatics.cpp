#include "apps/bem/electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/bem/single_layer.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/matrix_file.hpp"
#include "trisweep/hmatrix/preconditioners.hpp"

namespace trisweep::bem {
namespace {

// The triangles of this rank's rows.
std::span<const Index> own_triangles(const hmatrix::HMatrix<double>& a) {
  return std::span(a.tree().order)
      .subspan(usize(a.partition().first(a.comm().rank())), usize(a.local_rows()));
}

double fastest_product(hmatrix::HMatrix<double>& a, const std::vector<double>& x, int count) {
  std::vector<double> y(x.size());
  double fastest = HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    a(x, y);
    fastest = std::min(fastest, a.comm().max(seconds_since(start)));
  }
  return fastest;
}

hmatrix::CompressedBlocks<double> made_blocks(const mpi::ParallelContext& context,
                                              const std::vector<Point>& points, const SingleLayer& kernel,
                                              const ChargeOptions& options, Observer& observer) {
  auto tree = mpi::agree_on_error(context.comm,
                                  [&] { return hmatrix::make_cluster_tree(points, options.leaf_size); });
  return hmatrix::compress_blocks<double>(context, kernel, std::move(tree), options.matrix, observer);
}

hmatrix::CompressedBlocks<double> loaded_blocks(const mpi::ParallelContext& context,
                                                const std::vector<Point>& points,
                                                const std::filesystem::path& file) {
  auto blocks = hmatrix::load_blocks<double>(context.comm, file);
  mpi::agree_on_error(context.comm, [&] {
    if (hmatrix::is_tree_of(blocks.tree, points)) return;
    throw InputError(file, 0, "not the matrix of this object",
                     "give the object that it was saved for, of the same shape and size");
  });
  return blocks;
}

// The method and the preconditioner.
struct Way {
  const krylov::NamedMethod<double>& method;
  const hmatrix::NamedPreconditioner<double>& preconditioner;
};

Way chosen_way(const ChargeOptions& options) {
  const Way way{find_named(krylov::methods<double>(), "method", options.method),
                find_named(hmatrix::preconditioners<double>(), "preconditioner", options.preconditioner)};
  if (way.preconditioner.linear || way.method.varying_preconditioner) return way;
  throw Error(ErrorKind::usage,
              fmt::format("the preconditioner {} varies between iterations, which the recurrences of {} "
                          "do not allow",
                          options.preconditioner, options.method),
              "choose --method bicgstab or gmres, or another preconditioner");
}

// Concatenates the lists of all ranks on rank 0.
template <class A>
std::vector<A> joined(const mpi::Communicator& comm, const std::vector<A>& own) {
  const auto parts = comm.gather(own);
  return mpi::agree_on_error(comm, [&] {
    std::vector<A> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  });
}

std::vector<MappedBlock> map_of(const mpi::Communicator& comm,
                                const std::vector<hmatrix::StoredBlock>& stored) {
  std::vector<MappedBlock> own;
  mpi::agree_on_error(comm, [&] {
    for (const hmatrix::StoredBlock& b : stored)
      own.push_back({b.row_begin, b.row_end, b.col_begin, b.col_end, b.rank});
  });
  return joined(comm, own);
}

// Charge density by triangle, on rank 0.
std::vector<double> density_of_triangles(const hmatrix::HMatrix<double>& a,
                                         const std::vector<double>& density) {
  const auto ordered = joined(a.comm(), density);
  return mpi::agree_on_error(a.comm(), [&] {
    std::vector<double> by_triangle(ordered.size());
    for (std::size_t i = 0; i < ordered.size(); ++i) by_triangle[usize(a.tree().order[i])] = ordered[i];
    return by_triangle;
  });
}

// Sums the charges of all triangles, and of those that are counted.
void sum_charges(const hmatrix::HMatrix<double>& a, const Conductors& conductors,
                 const std::vector<double>& density, ChargeResult& result) {
  std::vector<double> charge(2);
  for (std::size_t i = 0; i < density.size(); ++i) {
    const Index t = own_triangles(a)[i];
    const double of_triangle = density[i] * area(conductors.mesh.corners(t));
    charge[1] += of_triangle;
    if (t < conductors.counted) charge[0] += of_triangle;
  }
  a.comm().sum(charge);
  result.charge = charge[0];
  result.total_charge = charge[1];
}

}  // namespace

ChargeResult solve_charge(const mpi::ParallelContext& context, const Conductors& conductors,
                          const ChargeOptions& options, const MatrixFiles& files, Observer& observer) {
  const Way way = mpi::agree_on_error(context.comm, [&] { return chosen_way(options); });
  const auto [kernel, points] = mpi::agree_on_error(context.comm, [&] {
    return std::pair(SingleLayer(conductors.mesh, coulomb_factor()), centroids(conductors.mesh));
  });
  auto blocks = files.load.empty() ? made_blocks(context, points, kernel, options, observer)
                                   : loaded_blocks(context, points, files.load);
  if (files.save) save_blocks(context.comm, blocks, files.output);
  const hmatrix::HMatrixOptions how = blocks.options;
  auto map = options.keep_map ? map_of(context.comm, blocks.stored) : std::vector<MappedBlock>();
  const auto hacapk = studies::hacapk_balance(context.comm, blocks);
  hmatrix::HMatrix<double> a(context, std::move(blocks));
  const studies::DeviceCounts counts = studies::use_devices(a, options.where);
  ChargeResult result{.eps = how.compression.eps,
                      .matrix = a.statistics(),
                      .hacapk = hacapk,
                      .device = counts,
                      .map = std::move(map)};
  std::vector<double> potential, density(usize(a.local_rows()));
  for (const Index t : own_triangles(a)) potential.push_back(conductors.potential[usize(t)]);
  result.product_seconds = fastest_product(a, potential, options.products);
  result.sampled_error = hmatrix::sampled_error<double>(a, kernel, options.sampled_rows);

  observer.progress("preconditioner", 0);
  auto start = Clock::now();
  const auto preconditioner = way.preconditioner.make({context, kernel, points, a, how});
  result.preconditioner_seconds = context.comm.max(seconds_since(start));
  observer.progress("solve", 0);
  if (options.recorder != nullptr) options.recorder->start();
  a.record_in(options.recorder);
  const auto vectors = mpi::agree_on_error(context.comm, [&] {
    return !a.reaches_device() ? nullptr : hmatrix::vectors_on<double>(options.where.device, context.pool);
  });
  start = Clock::now();
  result.solve =
      way.method.solve(context, {a, *preconditioner, vectors.get()}, potential, density, options.solver)
          .front();
  result.solve_seconds = context.comm.max(seconds_since(start));
  if (vectors != nullptr) result.steps = vectors->counts();
  sum_charges(a, conductors, density, result);
  if (options.keep_density) result.density = density_of_triangles(a, density);
  return result;
}

}  // namespace trisweep::bem
