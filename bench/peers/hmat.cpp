// hmat-oss (GPL) and Trisweep on the single layer of a pair of spheres: assembly, bytes, product and its
// sampled error, one after the other in one process, on one thread.
//   peer_hmat [TRIANGLES] [EPS] [ROUNDS]

#include <fmt/format.h>
#include <hmat/hmat.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "apps/bem/conductors.hpp"
#include "apps/bem/single_layer.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace {

using trisweep::Index;
using trisweep::usize;
using namespace trisweep::hmatrix;
namespace bem = trisweep::bem;

struct ResidualView {
  double assembly_seconds, bytes, product_seconds, error;
};

// CPU time of this process, since others may use the machine.
double cpu_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

struct Problem {
  bem::TriangleMesh mesh;
  bem::SingleLayer kernel;
  std::vector<double> x, exact;  // signs, and products of them with some rows
  std::vector<Index> rows;

  explicit Problem(Index triangles)
      : mesh(bem::make_object("spheres", {.triangles = triangles}).mesh),
        kernel(mesh, bem::coulomb_factor()) {
    for (Index i = 0; i < mesh.size(); ++i)
      x.push_back((trisweep::split_mix(std::uint64_t(i)) & 1) == 0 ? 1 : -1);
    for (Index i = mesh.size() / 60; i < mesh.size(); i += mesh.size() / 30) {
      rows.push_back(i);
      exact.push_back(0);
      for (Index j = 0; j < mesh.size(); ++j) exact.back() += kernel(i, j) * x[usize(j)];
    }
  }

  // Sampled error of a product; `y`: in the mesh's order.
  double error(const std::vector<double>& y) const {
    double off = 0, size = 0;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      off += std::pow(y[usize(rows[s])] - exact[s], 2);
      size += exact[s] * exact[s];
    }
    return std::sqrt(off / size);
  }
};

template <class Product>
double fastest(const Product& product) {
  double best = HUGE_VAL;
  for (int i = 0; i < 10; ++i) {
    const auto start = trisweep::Clock::now();
    product();
    best = std::min(best, trisweep::seconds_since(start));
  }
  return best;
}

void entry(void* problem, int row, int col, void* result) {
  *static_cast<double*>(result) = static_cast<Problem*>(problem)->kernel(row, col);
}

// Leaves and admissibility as in HACApK.
ResidualView measure_theirs(Problem& problem, double eps) {
  hmat_interface_t hmat;
  hmat_init_default_interface(&hmat, HMAT_DOUBLE_PRECISION);
  if (hmat.init() != 0) std::exit(1);
  std::vector<double> points;
  for (const Point& p : centroids(problem.mesh)) points.insert(points.end(), p.begin(), p.end());
  auto* const median = hmat_create_clustering_median();
  auto* const leaves = hmat_create_clustering_max_dof(median, 15);
  const double start = cpu_seconds();
  auto* const tree = hmat_create_cluster_tree(points.data(), 3, problem.mesh.size(), leaves);
  auto* const admissibility = hmat_create_admissibility_standard(2.0);
  auto* const matrix = hmat.create_empty_hmatrix_admissibility(tree, tree, 0, admissibility);
  hmat.set_low_rank_epsilon(matrix, eps);
  hmat_assemble_context_t context;
  hmat_assemble_context_init(&context);
  context.simple_compute = entry;
  context.user_context = &problem;
  context.compression = hmat_create_compression_aca_plus(eps);
  context.progress = nullptr;
  hmat.assemble_generic(matrix, &context);
  ResidualView measured{.assembly_seconds = cpu_seconds() - start};
  hmat_info_t info;
  hmat.get_info(matrix, &info);
  measured.bytes = 8.0 * double(info.compressed_size);
  std::vector<double> y(problem.x.size());
  double one = 1, zero = 0;
  measured.product_seconds =
      fastest([&] { hmat.gemv('N', &one, matrix, problem.x.data(), &zero, y.data(), 1); });
  measured.error = problem.error(y);
  hmat.destroy(matrix);
  return measured;
}

ResidualView measure_ours(Problem& problem, double eps) {
  const trisweep::mpi::Communicator world(MPI_COMM_SELF);
  trisweep::ThreadPool pool(1);
  const double start = cpu_seconds();
  HMatrix<double> matrix({world, pool}, problem.kernel, make_cluster_tree(centroids(problem.mesh), 32),
                         {.compression = {.eps = eps}});
  ResidualView measured{.assembly_seconds = cpu_seconds() - start,
                        .bytes = double(matrix.statistics().bytes)};
  const std::vector<Index>& order = matrix.tree().order;
  std::vector<double> x, y(order.size()), back(order.size());
  for (const Index t : order) x.push_back(problem.x[usize(t)]);
  measured.product_seconds = fastest([&] { matrix(x, y); });
  for (std::size_t i = 0; i < order.size(); ++i) back[usize(order[i])] = y[i];
  measured.error = problem.error(back);
  return measured;
}

void print(const char* name, const ResidualView& m, const ResidualView& other) {
  fmt::print("{:10} {:9.2f} s {:9.1f} MB {:9.2f} ms {:9.1e} | {:5.2f} {:5.2f} {:5.2f} {:5.2f}\n", name,
             m.assembly_seconds, m.bytes / 1e6, 1e3 * m.product_seconds, m.error,
             m.assembly_seconds / other.assembly_seconds, m.bytes / other.bytes,
             m.product_seconds / other.product_seconds, m.error / other.error);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Problem problem(argc > 1 ? std::atoi(argv[1]) : 50784);
  const double eps = argc > 2 ? std::atof(argv[2]) : 1e-3;
  fmt::print("{} triangles, eps {}: assembly (CPU seconds), bytes, product, sampled error | of hmat-oss's\n",
             problem.mesh.size(), eps);
  for (int round = 0; round < (argc > 3 ? std::atoi(argv[3]) : 1); ++round) {
    const ResidualView theirs = measure_theirs(problem, eps), ours = measure_ours(problem, eps);
    print("hmat-oss", theirs, theirs);
    print("trisweep", ours, theirs);
  }
  MPI_Finalize();
}
