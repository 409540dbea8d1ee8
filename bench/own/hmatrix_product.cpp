// Products with the H-matrix of a pair of spheres, as it is stored, in double, and as plain ACA leaves it:
// bytes and time, beside what reading as many bytes takes. One thread; each round has all of them in turn,
// and the memory read before each.
//   own_hmatrix_product [TRIANGLES] [ROUNDS] [EPS...]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "../peers/floor.hpp"
#include "apps/bem/conductors.hpp"
#include "apps/bem/single_layer.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace {

using namespace trisweep::hmatrix;
namespace bem = trisweep::bem;
using trisweep::compression::Cross;
using trisweep::compression::Precision;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

struct Candidate {
  const char* name;
  std::unique_ptr<HMatrix<double>> matrix;
  double error = 0;
  std::vector<double> seconds, floor, ratio;  // of each round

  double bytes() const { return double(matrix->statistics().bytes); }
};

class Comparison {
 public:
  Comparison(const bem::TriangleMesh& mesh, double eps) : kernel_(mesh, bem::coulomb_factor()), eps_(eps) {
    const auto add = [&](const char* name, const Compression& how) {
      auto tree = make_cluster_tree(centroids(mesh), 32);
      auto& made = made_.emplace_back(
          Candidate{name, std::make_unique<HMatrix<double>>(trisweep::transport::Team{world_, crew_}, kernel_,
                                                            std::move(tree), Options{.compression = how})});
      made.error = sampled_error(*made.matrix, trisweep::hmatrix::Kernel<double>(kernel_), 30);
    };
    add("adaptive", {.eps = eps});
    add("double", {.eps = eps, .precision = Precision::full});
    add("plain ACA", {.eps = eps, .cross = Cross::aca, .recompress = false});
    for (trisweep::Index i = 0; i < mesh.size(); ++i)
      x_.push_back((trisweep::split_mix(std::uint64_t(i)) & 1) == 0 ? 1 : -1);
    y_.resize(x_.size());
  }

  void measure() {
    for (Candidate& c : made_) {
      const double bandwidth = memory_.measure();
      const auto start = trisweep::Clock::now();
      (*c.matrix)(x_, y_);
      c.seconds.push_back(trisweep::seconds_since(start));
      c.floor.push_back(c.bytes() / bandwidth);
      c.ratio.push_back(c.seconds.back() / c.floor.back());
    }
  }

  void print() const {
    const Candidate& plain = made_.back();
    for (const Candidate& c : made_) {
      const double gain = median(plain.seconds) / median(c.seconds);
      const double bytes = plain.bytes() / c.bytes();
      fmt::print(
          "{:.0e}  {:10} {:8.1f} MB  error {:.1e}  {:8.2f} ms  read {:8.2f} ms  ratio {:.2f}  "
          "bytes {:.2f}  faster {:.2f}  of it {:.2f}\n",
          eps_, c.name, c.bytes() / 1e6, c.error, 1e3 * median(c.seconds), 1e3 * median(c.floor),
          median(c.ratio), bytes, gain, gain / bytes);
    }
  }

 private:
  trisweep::transport::Communicator world_{MPI_COMM_SELF};
  trisweep::Crew crew_{1};
  bem::SingleLayer kernel_;
  double eps_;
  std::vector<Candidate> made_;
  std::vector<double> x_, y_;
  peers::ReadBandwidth memory_{MPI_COMM_SELF, 1, std::size_t{256} << 20};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto mesh = bem::make_object("spheres", {.triangles = argc > 1 ? std::atoi(argv[1]) : 50784}).mesh;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  std::vector<double> eps{1e-3, 1e-6, 1e-8};
  if (argc > 3) {
    eps.clear();
    for (int i = 3; i < argc; ++i) eps.push_back(std::atof(argv[i]));
  }
  for (const double one : eps) {
    Comparison comparison(mesh, one);
    for (int round = 0; round < rounds; ++round) comparison.measure();
    comparison.print();
  }
  MPI_Finalize();
}
