#include "trisweep/krylov/one_norm.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::world_rank;
using testing_support::world_size;

template <class T>
class OneNorm : public testing::Test {};
using OneNormScalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(OneNorm, OneNormScalars);

template <Scalar T>
double one_norm(const matrix::Csr<T>& a) {
  std::vector<double> sums(usize(a.cols()));
  for (std::size_t e = 0; e < a.value.size(); ++e) sums[usize(a.pattern.col[e])] += std::abs(a.value[e]);
  return *std::ranges::max_element(sums);
}

template <Scalar T>
double estimate_of(const matrix::Csr<T>& a) {
  DistributedMatrix<T> b(MPI_COMM_WORLD, world_rank() == 0 ? &a : nullptr,
                         distribution::even_partition(a.rows(), world_size()));
  ThreadPool pool(1);
  const auto by = [&](Op op) {
    return [&b, &pool, op](Vectors<const T> x, Vectors<T> y) { b.apply(op, x, y, pool); };
  };
  const auto multiply = by(Op::none), adjoint = by(Op::conjugate_transpose);
  return estimate_one_norm<T>(b.comm(), b.partition(), multiply, adjoint);
}

TYPED_TEST(OneNorm, IsBoundedFromBelow) {
  using T = TypeParam;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const auto a = testing_support::random_matrix<T>({.n = 40, .per_row = 4, .seed = seed});
    const double norm = one_norm(a), estimate = estimate_of(a);
    EXPECT_LE(estimate, norm * (1 + 1e-14)) << seed;
    EXPECT_GE(estimate, norm / 3) << seed;
  }
}

// The largest column of a matrix of signs alike is found exactly, whichever rank has it.
TYPED_TEST(OneNorm, IsExactWhereNothingCancels) {
  using T = TypeParam;
  auto a = testing_support::random_matrix<T>({.n = 30, .per_row = 4, .seed = 3});
  for (T& v : a.value) v = T(static_cast<RealOf<T>>(std::abs(v)));
  for (const Index large : {0, 13, 29}) {
    auto b = a;
    for (std::size_t e = 0; e < b.value.size(); ++e)
      if (b.pattern.col[e] == large) b.value[e] *= 50;
    EXPECT_NEAR(estimate_of(b), one_norm(b), 1e-12 * one_norm(b)) << large;
  }
}

TYPED_TEST(OneNorm, OfOneRowIsItsEntry) {
  using T = TypeParam;
  matrix::Csr<T> a;
  a.pattern = {.rows = 1, .cols = 1, .row_ptr = {0, 1}, .col = {0}};
  a.value = {T(-3)};
  EXPECT_EQ(estimate_of(a), 3);
}

TEST(OneNormOf, WhatOverflowsIsInfinite) {
  auto a = testing_support::random_matrix<double>({.n = 30, .per_row = 4, .seed = 3});
  for (double& v : a.value) v = 1e308;
  EXPECT_EQ(estimate_of(a), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace trisweep::krylov
