#include "trisweep/sptrsv/ilu0.hpp"

#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/ilut.hpp"

namespace trisweep::sptrsv {
namespace {

using testing_support::random_matrix;
using testing_support::random_vector;

template <class T>
class Ilu0Test : public ::testing::Test {};
TYPED_TEST_SUITE(Ilu0Test, testing_support::Scalars);

template <Scalar T>
std::vector<T> dense(const matrix::Csr<T>& a) {
  std::vector<T> d(usize(a.rows()) * usize(a.rows()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      d[usize(i * a.rows() + a.pattern.col[usize(e)])] = a.value[usize(e)];
  }
  return d;
}

// What defines it: the product of the factors is A wherever A has an entry.
TYPED_TEST(Ilu0Test, FactorsMultiplyToTheMatrixOnItsPattern) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 60, .per_row = 4, .seed = 3});
  const auto factors = ilu0(a);
  const auto l = dense(factors.lower), u = dense(factors.upper);
  testing_support::Largest error;
  for (Index i = 0; i < 60; ++i) {
    for (const Offset e : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(e)];
      T sum = u[usize(i * 60 + j)];
      for (Index k = 0; k < i; ++k) sum += l[usize(i * 60 + k)] * u[usize(k * 60 + j)];
      error.add(std::abs(sum - a.value[usize(e)]));
    }
  }
  EXPECT_LT(error.value(), 100 * std::numeric_limits<RealOf<T>>::epsilon());
}

// Without fill to leave out it is the whole factorization, of every op.
TYPED_TEST(Ilu0Test, SolvesATridiagonalSystem) {
  using T = TypeParam;
  constexpr Index n = 500;
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(i == j ? T(4) : T(RealOf<T>(i % 3) - RealOf<T>(j) / n));
      if constexpr (is_complex<T>) a.value.back() += T(0, RealOf<T>(0.3));
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  const auto truth = random_vector<T>(n, 4);
  IncompleteLu<T> preconditioner(a, {.threads = 2});
  for (const double scale : {1.0, 2.0}) {
    for (T& value : a.value) value *= RealOf<T>(scale);
    preconditioner.refactor(a.value);
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      std::vector<T> b(n), x(n);
      matrix::multiply<T>(a, op, truth, b);
      preconditioner.solve(b, x, op);
      EXPECT_LT(testing_support::largest_difference(x, truth),
                200 * std::numeric_limits<RealOf<T>>::epsilon());
    }
  }
}

// The whole pattern of a small matrix is the whole factorization; with less, fill makes it better.
TEST(Ilut, MoreFillIsCloserToTheMatrix) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 6}));
  const auto truth = random_vector<double>(usize(a.rows()), 4);
  std::vector<double> b(truth.size()), x(truth.size());
  matrix::multiply<double>(a, Op::none, truth, b);
  double before = 1;
  for (const Index per_row : {0, 5, 300}) {
    IncompleteLu<double> preconditioner(
        a, ilut_pattern(a, {.drop = per_row == 300 ? 0.0 : 1e-3, .per_row = per_row}));
    std::vector<double> doubled = a.value;
    for (double& value : doubled) value *= 2;
    preconditioner.refactor(doubled);
    preconditioner.solve(b, x);
    for (double& value : x) value *= 2;
    const double error = testing_support::largest_difference(x, truth);
    EXPECT_LT(error, 0.5 * before) << per_row;
    before = error;
  }
  EXPECT_LT(before, 1e-13);
  EXPECT_EQ(ilut_pattern(a, {.per_row = 0}).col, a.pattern.col);
}

TEST(Ilut, UnitsOfEquationsChangeNothing) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 7}));
  const matrix::Pattern pattern = ilut_pattern(a);
  EXPECT_GT(pattern.nonzeros(), a.nonzeros());
  for (const int power : {-900, 900}) {
    auto scaled = a;
    for (Index i = 0; i < a.rows(); ++i) {
      for (const Offset e : a.pattern.entries(i))
        scaled.value[usize(e)] = std::ldexp(a.value[usize(e)], power + i % 7 * 10);
    }
    EXPECT_EQ(ilut_pattern(scaled).col, pattern.col) << power;
  }
}

TEST(Ilu0, NamesTheRowThatCannotBeFactored) {
  matrix::Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}},
                        .value = {1, 1, 1, 1}};
  const auto message = [&] {
    try {
      IncompleteLu<double> made(a);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message().find("zero pivot in row 1 "), std::string::npos);
  a = {.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {0, 0}}, .value = {1, 1}};
  EXPECT_NE(message().find("row 1 (counting from 0) has no diagonal"), std::string::npos);
  a.pattern.col.back() = 2;
  EXPECT_NE(message().find("columns of row 1 (counting from 0) do not ascend"), std::string::npos);
  EXPECT_THROW(ilut_pattern(a), Error);
  EXPECT_THROW(ilu0(a), Error);
}

}  // namespace
}  // namespace trisweep::sptrsv
