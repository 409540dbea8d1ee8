// D1 A D2 is solved as A is, whatever the units.

#include <gtest/gtest.h>

#include <cmath>

#include "support/hard_to_pivot.hpp"
#include "support/largest.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {
namespace {

using testing_support::Largest;
using testing_support::SparseRows;
using testing_support::world_size;

// Five points on m x m; `ahead` is what the unknown before and below is coupled by, 1 - ahead that behind.
SparseRows five_points(Index m, double diagonal, double ahead) {
  SparseRows a(usize(m * m));
  for (Index x = 0; x < m; ++x) {
    for (Index y = 0; y < m; ++y) {
      auto& row = a[usize(x * m + y)];
      row[x * m + y] = diagonal;
      if (x > 0) row[(x - 1) * m + y] = -2 * ahead;
      if (y > 0) row[x * m + y - 1] = -2 * ahead;
      if (x + 1 < m) row[(x + 1) * m + y] = -2 * (1 - ahead);
      if (y + 1 < m) row[x * m + y + 1] = -2 * (1 - ahead);
    }
  }
  return a;
}

// [H B^T; B 0]: H five points or the identity, B the means of neighbours.
SparseRows constrained(Index m, bool identity) {
  SparseRows a = five_points(m, 4, 0.5);
  const Index n = m * m, constraints = n / 3;
  if (identity) {
    for (Index i = 0; i < n; ++i) a[usize(i)] = {{i, 1.0}};
  }
  a.resize(usize(n + constraints));
  for (Index k = 0; k < constraints; ++k) {
    for (const Index j : {3 * k, 3 * k + 1, (3 * k + 5) % n})
      a[usize(n + k)][j] = a[usize(j)][n + k] = 1.0 + 0.1 * double(j % 3);
  }
  return a;
}

// Numbers from -1 to 1, the same on every rank.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : random_(seed) {}
  double operator()() { return double(random_() >> 11) * 0x1p-52 - 1; }

 private:
  std::mt19937_64 random_;
};

// Solves D1 A D2 x = D1 A y with x = D2^-1 y known, D1 and D2 powers of ten up to 10^exponent.
template <Scalar T>
class InUnits {
 public:
  InUnits(matrix::Csr<T> a, double exponent, std::uint64_t seed) : a_(std::move(a)), d2_(usize(a_.rows())) {
    Uniform uniform(seed);
    const auto power = [&] { return std::pow(10, exponent * uniform()); };
    std::vector<T> y(d2_.size());
    for (T& v : y) v = 1.5 + uniform() / 2;
    b_.resize(y.size());
    matrix::multiply<T>(a_, Op::none, y, b_);
    for (double& d : d2_) d = power();
    for (Index i = 0; i < a_.rows(); ++i) {
      const double d1 = power();
      b_[usize(i)] *= d1;
      for (const Offset p : a_.pattern.entries(i))
        a_.value[usize(p)] *= d1 * d2_[usize(a_.pattern.col[usize(p)])];
    }
    y_ = std::move(y);
  }

  // With that mapping and inverted whole separators, or supernodes.
  void check(const distribution::NamedMapping& mapping, int whole_levels) const {
    const auto factors = testing_support::factored(a_, whole_levels);
    EXPECT_EQ(factors->factors->perturbed_pivots, 0);
    TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                               {.grid = testing_support::grids_of(world_size()).back(), .mapping = mapping});
    krylov::DistributedMatrix<T> a(MPI_COMM_WORLD, &a_, solver.partition());
    const Index first = solver.partition().first(solver.comm().rank()), rows = a.local_rows();
    std::vector<T> x(usize(rows));
    RefinedSolver<T> refined(a, solver);
    const auto result = refined.solve(Op::none, {b_.data() + first, rows, 1}, {x.data(), rows, 1}, {});
    EXPECT_LE(result.error.componentwise, 1e-13);
    Largest error;
    for (Index i = 0; i < rows; ++i) {
      const auto at = usize(first + i);
      error.add(std::abs(x[usize(i)] * d2_[at] - y_[at]) / std::abs(y_[at]));
    }
    EXPECT_LE(solver.comm().max(error.value()), 1e-12);
  }

 private:
  matrix::Csr<T> a_;
  std::vector<double> d2_;
  std::vector<T> y_;
  std::vector<T> b_;
};

template <Scalar T>
void check_pairs(const SparseRows& rows) {
  const auto a = testing_support::with_phases<T>(rows);
  const int pairs = world_size() == 1 ? 200 : world_size() <= 4 ? 2 : 1;
  for (int pair = 0; pair < pairs; ++pair) {
    const double exponent = pair % 2 == 0 ? 100 : pair / 2;
    SCOPED_TRACE(testing::Message() << "pair " << pair << ", up to 10^" << exponent);
    const InUnits<T> system(a, exponent, static_cast<std::uint64_t>(pair) + 1);
    const auto& mappings = distribution::mappings();
    if (world_size() == 1) {
      system.check(mappings.front(), pair % 3);
    } else {
      for (const auto& mapping : mappings) {
        for (const int whole_levels : {0, 2}) system.check(mapping, whole_levels);
      }
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Units, OfASymmetricSystem) {
  check_pairs<double>(five_points(12, 4.1, 0.5));
}
TEST(Units, OfAnUnsymmetricSystem) {
  check_pairs<double>(five_points(12, 4.1, 0.8));
}
TEST(Units, OfAKktSystem) {
  check_pairs<double>(constrained(11, true));
}
TEST(Units, OfASaddlePoint) {
  check_pairs<double>(constrained(11, false));
}
TEST(Units, OfAComplexSystem) {
  check_pairs<std::complex<double>>(five_points(12, 3.3, 0.5));
}

}  // namespace
}  // namespace trisweep::solve
