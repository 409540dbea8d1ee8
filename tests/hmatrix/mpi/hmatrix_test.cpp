#include "trisweep/hmatrix/hmatrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/bem/helmholtz.hpp"
#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"

namespace trisweep::hmatrix {
namespace {

using testing_support::random_vector;

template <class T>
class HMatrixTest : public testing::Test {};
TYPED_TEST_SUITE(HMatrixTest, testing_support::Scalars);

// exp(i r) / r, or 1 / r, with something unsymmetric in it, between points of a sphere.
template <Scalar T>
struct Waves {
  T operator()(const Point& a, const Point& b) const {
    const double r = length(a - b), size = (1 + 0.2 * a[0]) / r;
    if constexpr (is_complex<T>)
      return T(std::polar(size, r));
    else
      return T(size);
  }
};

template <Scalar T>
struct Problem {
  std::vector<Point> points = centroids(bem::sphere_mesh({4, 7}, 1, {0, 0, 0}));
  PointKernel<T, Waves<T>> kernel{points, Waves<T>{}, T(20)};

  ClusterTree tree() const { return make_cluster_tree(points, 12); }
  Index n() const { return static_cast<Index>(points.size()); }
};

// Room for row blocks on many ranks.
HMatrixOptions options_for(double eps) {
  return {.blocks = {.eta = 2, .least_side = 12}, .compression = {.eps = eps}, .block_rows = 20};
}

// op(H) x on all rows, for x that all ranks have; `comm` has the ranks.
template <Scalar T>
std::vector<T> product(const mpi::Communicator& comm, int threads, const HMatrixOptions& options, Op op,
                       const std::vector<T>& x, Index nrhs = 1) {
  const Problem<T> problem;
  ThreadPool pool(threads);
  HMatrix<T> h({comm, pool}, problem.kernel, problem.tree(), options);
  const Index n = problem.n(), rows = h.local_rows(), first = h.partition().first(comm.rank());
  std::vector<T> own_x, own_y(usize(rows) * usize(nrhs), T(99)), y(usize(n) * usize(nrhs));
  for (Index c = 0; c < nrhs; ++c)
    own_x.insert(own_x.end(), x.begin() + c * n + first, x.begin() + c * n + first + rows);
  h.apply(op, Vectors<const T>(own_x.data(), rows, nrhs), Vectors<T>(own_y.data(), rows, nrhs));
  for (Index c = 0; c < nrhs; ++c) {
    for (Index r = 0; r < comm.size(); ++r) {
      std::vector<T> part(own_y.begin() + c * rows, own_y.begin() + (c + 1) * rows);
      comm.broadcast(part, r);
      std::copy(part.begin(), part.end(), y.begin() + c * n + h.partition().first(r));
    }
  }
  return y;
}

template <Scalar T>
std::vector<T> exact(Op op, const std::vector<T>& x, Index nrhs = 1) {
  const Problem<T> problem;
  const auto order = problem.tree().order;
  const Index n = problem.n();
  std::vector<T> y(x.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const T entry = problem.kernel(order[usize(i)], order[usize(j)]);
      for (Index c = 0; c < nrhs; ++c) {
        if (op == Op::none) y[usize(i + c * n)] += entry * x[usize(j + c * n)];
        if (op == Op::transpose) y[usize(j + c * n)] += entry * x[usize(i + c * n)];
        if (op == Op::conjugate_transpose) y[usize(j + c * n)] += conjugate(entry) * x[usize(i + c * n)];
      }
    }
  }
  return y;
}

// ||y - expected|| / ||expected||.
template <Scalar T>
double relative_difference(const std::vector<T>& y, const std::vector<T>& expected) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error += double(std::norm(y[i] - expected[i]));
    size += double(std::norm(expected[i]));
  }
  return y.size() == expected.size() && std::isfinite(error) ? std::sqrt(error / size) : HUGE_VAL;
}

TYPED_TEST(HMatrixTest, ProductsOfEveryOpAreAsAccurateAsAsked) {
  using T = TypeParam;
  const mpi::Communicator world(MPI_COMM_WORLD);
  constexpr Index nrhs = 3;
  const auto x = random_vector<T>(usize(Problem<T>().n()) * nrhs, 5);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const auto expected = exact(op, x, nrhs);
    for (const double eps : {1e-2, 1e-5, 1e-10}) {
      if (std::same_as<RealOf<T>, float> && eps < 1e-5) continue;
      EXPECT_LT(relative_difference(product<T>(world, 1, options_for(eps), op, x, nrhs), expected), eps)
          << static_cast<char>(op);
    }
  }
}

// Squares of entries are beyond the range of their numbers.
TYPED_TEST(HMatrixTest, UnitsOfTheKernelDoNotMatter) {
  using T = TypeParam;
  const mpi::Communicator self(MPI_COMM_SELF);
  const Problem<T> problem;
  const auto x = random_vector<T>(usize(problem.n()), 5), expected = exact(Op::none, x);
  ThreadPool pool(1);
  constexpr int exponent = std::numeric_limits<RealOf<T>>::max_exponent * 3 / 4;
  for (const int power : {-exponent, exponent}) {
    const RealOf<T> unit = std::ldexp(RealOf<T>(1), power);
    const auto kernel = [&](Index i, Index j) { return problem.kernel(i, j) * unit; };
    HMatrix<T> h({self, pool}, kernel, problem.tree(), options_for(1e-4));
    std::vector<T> y(x.size());
    h.apply(Op::none, x, y);
    for (T& value : y) value /= unit;
    EXPECT_LT(relative_difference(y, expected), 1e-4) << power;
  }
}

TYPED_TEST(HMatrixTest, ThreadsAndRanksLeaveEveryBitAsItIs) {
  using T = TypeParam;
  const mpi::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto x = random_vector<T>(usize(Problem<T>().n()), 6);
  const auto alone = product<T>(self, 1, options_for(1e-4), Op::none, x);
  for (const int threads : {1, 2, 3, 4})
    EXPECT_EQ(product<T>(world, threads, options_for(1e-4), Op::none, x), alone) << threads;
  if (world.rank() > 0) return;
  const auto transposed = product<T>(self, 1, options_for(1e-4), Op::transpose, x);
  EXPECT_EQ(product<T>(self, 3, options_for(1e-4), Op::transpose, x), transposed);
}

// Most blocks at the edge of the support have something in one corner alone.
TEST(HMatrix, KernelsOfCompactSupportAreAsAccurateAsAsked) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(1);
  std::vector<Point> points(600);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {unit_interval(split_mix(2 * i)), unit_interval(split_mix(2 * i + 1)), 0};
  for (const double support : {0.2, 0.4}) {
    const auto spherical = [&](const Point& a, const Point& b) {
      const double r = std::min(length(a - b) / support, 1.0);
      return 1 - 1.5 * r + 0.5 * r * r * r;
    };
    const PointKernel<double, decltype(spherical)> kernel(points, spherical, 1);
    const auto no_number = [](const Point&, const Point&) { return std::nan(""); };
    const PointKernel<double, decltype(no_number)> unknown(points, no_number, 1);
    for (const auto method : {lowrank::Cross::aca, lowrank::Cross::aca_plus}) {
      HMatrixOptions options;
      options.compression = {.eps = 1e-6, .cross = method};
      HMatrix<double> h({world, pool}, kernel, make_cluster_tree(points, 32), options);
      EXPECT_LT(sampled_error<double>(h, kernel, 600), 1e-5) << support;
      EXPECT_TRUE(std::isnan(sampled_error<double>(h, unknown, 600)));
    }
  }
}

TEST(HMatrix, OptionsThatMeanNothingAreRefused) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(1);
  const std::vector<Point> points(3);
  const auto one = [](const Point&, const Point&) { return 1.0; };
  const PointKernel<double, decltype(one)> kernel(points, one, 1);
  const auto refused = [&](const HMatrixOptions& options) {
    EXPECT_THROW(HMatrix<double>({world, pool}, kernel, make_cluster_tree(points, 2), options), Error);
  };
  for (const double eps : {1.0, -1e-3, std::nan("")}) refused({.compression = {.eps = eps}});
  for (const double eta : {0.0, -1.0, std::nan("")}) refused({.blocks = {.eta = eta}});
  refused({.compression = {.most_rank = -1}});
  refused({.block_rows = 0});
}

TEST(HMatrix, ChoicesOfCompressionAndTheirBytes) {
  const mpi::Communicator self(MPI_COMM_SELF);
  if (mpi::Communicator(MPI_COMM_WORLD).rank() > 0) return;
  ThreadPool pool(1);
  const Problem<double> problem;
  const double eps = 1e-4;
  const auto bytes_of = [&](const BlockCompression& how) {
    HMatrixOptions options = options_for(eps);
    options.compression = how;
    HMatrix<double> h({self, pool}, problem.kernel, problem.tree(), options);
    EXPECT_LT(sampled_error<double>(h, problem.kernel, 100), eps);
    EXPECT_GT(h.statistics().low_rank_blocks, 20);
    EXPECT_GT(h.statistics().max_rank, h.statistics().mean_rank);
    return h.statistics().bytes;
  };
  using lowrank::Cross, lowrank::Precision;
  const Offset adaptive = bytes_of({.eps = eps});
  const Offset full = bytes_of({.eps = eps, .precision = Precision::full});
  const Offset aca = bytes_of({.eps = eps, .cross = Cross::aca, .recompress = false});
  EXPECT_LT(2 * adaptive, full);
  EXPECT_LT(full, aca);
  EXPECT_LT(aca, Offset{8} * problem.n() * problem.n());
}

TEST(HMatrix, BytesAreSharedEvenly) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(1);
  const Problem<double> problem;
  const HMatrix<double> h({world, pool}, problem.kernel, problem.tree(), options_for(1e-4));
  EXPECT_EQ(h.partition().rows(), problem.n());
  const Statistics& s = h.statistics();
  // Within a row block, of which there are 16 or more.
  EXPECT_LE(double(s.bytes_max), double(s.bytes) / world.size() + 1.5 * double(s.bytes) / 16);
}

TEST(HMatrix, AnEntryThatIsNoNumberIsNamedOnEveryRank) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(2);
  const Problem<double> problem;
  const auto kernel = [&](Index i, Index j) {
    return i == 7 && j == 9 ? std::nan("") : problem.kernel(i, j);
  };
  try {
    HMatrix<double>({world, pool}, kernel, problem.tree(), options_for(1e-3));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("(7, 9)"), std::string::npos) << e.what();
  }
}

TEST(HMatrix, OfNothingAndOfOnePoint) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(1);
  const auto kernel = [](Index, Index) { return 2.0; };
  for (const Index n : {0, 1}) {
    HMatrix<double> h({world, pool}, kernel, make_cluster_tree(std::vector<Point>(usize(n)), 8), {});
    std::vector<double> x(usize(h.local_rows()), 3), y(x.size());
    h(x, y);
    EXPECT_EQ(world.sum(double(x.size())), n);
    for (const double value : y) EXPECT_NEAR(value, 6, 6e-3);
  }
}

}  // namespace
}  // namespace trisweep::hmatrix
