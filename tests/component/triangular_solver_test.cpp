#include "trisweep/component/triangular_solver.hpp"

#include <gtest/gtest.h>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/gallery.hpp"

namespace trisweep::component {
namespace {

using testing_support::random_vector;

// Lower triangular, with up to `per_row` entries left of the diagonal, none further than `band`.
template <Scalar T>
matrix::Csr<T> random_lower(Index n, Index per_row, Index band) {
  std::mt19937_64 random(7);
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    std::map<Index, T> row;
    for (Index e = 0; e < per_row && i > 0; ++e) {
      const Index far = std::min(i, band);
      row[i - 1 - static_cast<Index>(random() % usize(far))] =
          testing_support::random_value<T>(random) * RealOf<T>(0.5) / RealOf<T>(per_row);
    }
    row[i] = testing_support::random_value<T>(random) * RealOf<T>(0.2) + RealOf<T>(1);
    for (const auto& [j, value] : row) {
      a.pattern.col.push_back(j);
      a.value.push_back(value);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

template <Scalar T>
std::vector<matrix::Csr<T>> lower_matrices() {
  std::vector<matrix::Csr<T>> all{random_lower<T>(1, 0, 1), random_lower<T>(500, 0, 1),
                                  random_lower<T>(400, 3, 400), random_lower<T>(3000, 6, 50),
                                  random_lower<T>(300, 1, 1)};
  for (const char* kind : {"graph", "graph-road"}) {
    const auto any = matrix::gallery(kind, {.n = 2000});
    all.push_back(matrix::convert<T>(std::get<matrix::Csr<double>>(any)));
  }
  return all;
}

// Largest difference between op(A) x and b, the diagonal taken as ones when `unit`.
template <Scalar T>
double residual(matrix::Csr<T> a, bool unit, Op op, Vectors<const T> x, Vectors<const T> b) {
  for (Index i = 0; unit && i < a.rows(); ++i) {
    for (Offset e = a.pattern.row_ptr[usize(i)]; e < a.pattern.row_ptr[usize(i) + 1]; ++e) {
      if (a.pattern.col[usize(e)] == i) a.value[usize(e)] = T(1);
    }
  }
  testing_support::Largest largest;
  std::vector<T> product(usize(a.rows()));
  for (Index c = 0; c < x.cols; ++c) {
    matrix::multiply<T>(a, op, std::span(x.column(c), product.size()), product);
    for (std::size_t i = 0; i < product.size(); ++i)
      largest.add(std::abs(product[i] - b.column(c)[i]) / std::numeric_limits<RealOf<T>>::epsilon());
  }
  return largest.value();
}

template <class T>
class ComponentSolver : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComponentSolver, Scalars);

// Either triangle, every op, with and without a diagonal of its own.
TYPED_TEST(ComponentSolver, SolvesAlikeByEveryAlgorithmWithAnyThreads) {
  using T = TypeParam;
  int turn = 0;
  for (const auto& lower : lower_matrices<T>()) {
    for (const bool upper : {false, true}) {
      const auto a = upper ? matrix::transpose(lower) : lower;
      const Form form{.upper = upper, .unit = ++turn % 3 == 0};
      const auto b = random_vector<T>(usize(a.rows()), 3);
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        std::vector<T> first;
        for (const auto& algorithm : algorithms()) {
          for (const int threads : {1, 2, 3}) {
            TriangularSolver<T> solver(a, form,
                                       {.algorithm = std::string(algorithm.name), .threads = threads});
            std::vector<T> x(b.size());
            solver.solve(b, x, op);
            if (first.empty()) {
              first = x;
              EXPECT_LT(residual<T>(a, form.unit, op, x, b), 40);
            }
            EXPECT_EQ(x, first) << algorithm.name << " " << threads;
          }
        }
      }
    }
  }
}

TYPED_TEST(ComponentSolver, SolvesForAnyNumberOfRightHandSidesInPlaceToo) {
  using T = TypeParam;
  const auto a = random_lower<T>(700, 4, 60);
  TriangularSolver<T> solver(a, {}, {.threads = 2});
  for (const Index nrhs : {1, 2, 4, 5, 8, 13, 32, 37}) {
    const Offset ld = a.rows() + 3;
    std::vector<T> b = random_vector<T>(usize(ld) * usize(nrhs), 8);
    const std::vector<T> before = b;
    const Vectors<T> both{b.data(), a.rows(), nrhs, ld};
    solver.solve(both, both);
    EXPECT_LT(residual<T>(a, false, Op::none, both, Vectors<const T>{before.data(), a.rows(), nrhs, ld}), 40);
    for (Index c = 0; c < nrhs; ++c) {
      for (Offset i = a.rows(); i < ld; ++i) EXPECT_EQ(b[usize(c * ld + i)], before[usize(c * ld + i)]);
    }
  }
}

// The inverse of the smallest numbers is infinite, that of the largest has lost digits.
TEST(ComponentSolver, DividesWhereAnInverseIsNoNumber) {
  for (const double diagonal : {1e-310, 1.5e308, 3.0}) {
    const matrix::Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 3}, .col = {0, 0, 1}},
                                .value = {diagonal, diagonal, diagonal}};
    const std::vector<double> b{diagonal * 0.75, diagonal * 0.75};
    std::vector<double> x(2);
    TriangularSolver<double>(a, {}).solve(b, x);
    EXPECT_NEAR(x[0], b[0] / diagonal, 1e-15);
    EXPECT_NEAR(x[1], 0, 1e-13);
  }
}

TEST(ComponentSolver, RepeatsWithOtherValuesAndMoves) {
  auto a = random_lower<double>(2000, 3, 40);
  TriangularSolver<double> made(a, {}, {.algorithm = "sync-free", .threads = 3});
  const auto b = random_vector<double>(2000, 1);
  std::vector<double> x(b.size());
  for (const Op op : {Op::none, Op::transpose}) made.solve(b, x, op);
  TriangularSolver<double> solver = std::move(made);
  for (double& value : a.value) value *= 1.5;
  solver.refill(a.value);
  for (int repeat = 0; repeat < 1000; ++repeat)
    solver.solve(b, x, repeat % 2 == 0 ? Op::none : Op::transpose);
  EXPECT_LT(residual<double>(a, false, Op::transpose, x, b), 40);
  a.value[0] = 0;
  EXPECT_THROW(solver.refill(a.value), Error);
  a.value[0] = 1.5;
  solver.solve(b, x);
  EXPECT_THROW(solver.refill(std::span(a.value).first(3)), Error);
}

TEST(ComponentSolver, ChoosesTheAlgorithmOfTheLeastEstimate) {
  const auto chain = random_lower<double>(4000, 1, 1);
  TriangularSolver<double> alone(chain, {}, {.threads = 2});
  alone.prepare(Op::none);
  EXPECT_EQ(alone.choice(Op::none).waits, 0);
  EXPECT_NE(alone.choice(Op::none).reason.find("regions"), std::string::npos);
  const auto wide = random_lower<double>(40000, 2, 40000);
  TriangularSolver<double> both(wide, {}, {.threads = 2});
  both.prepare(Op::none);
  EXPECT_NE(both.choice(Op::none).algorithm, "sequential");
}

std::string error_of(ErrorKind kind, const auto& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// Of every op, with the place as it is in A.
TEST(ComponentSolver, NamesTheRowThatIsWrong) {
  using testing_support::random_value;
  auto a = random_lower<double>(30, 2, 5);
  const auto solve = [&](Op op, Form form = {}) { TriangularSolver<double>(a, form).prepare(op); };
  const auto diagonal_of = [&](Index row) -> double& {
    return a.value[usize(a.pattern.row_ptr[usize(row) + 1] - 1)];
  };
  for (const Op op : {Op::none, Op::transpose}) {
    diagonal_of(11) = 0;
    EXPECT_NE(error_of(ErrorKind::numerical, [&] { solve(op); }).find("row 12 is zero"), std::string::npos);
    solve(op, {.unit = true});
    diagonal_of(11) = std::numeric_limits<double>::infinity();
    EXPECT_NE(error_of(ErrorKind::numerical, [&] { solve(op); }).find("row 12 is not finite"),
              std::string::npos);
    diagonal_of(11) = 1;
    EXPECT_NE(error_of(ErrorKind::input, [&] { solve(op, {.upper = true}); }).find("below the diagonal"),
              std::string::npos);
    Index& last = a.pattern.col[usize(a.pattern.row_ptr[8] - 1)];  // of row 8
    last = 20;
    EXPECT_NE(error_of(ErrorKind::input, [&] { solve(op); }).find("row 8, column 21, above"),
              std::string::npos);
    last = 7;
  }
  a.pattern.row_ptr.back() -= 1;
  a.pattern.col.pop_back();
  a.value.pop_back();
  EXPECT_NE(error_of(ErrorKind::input, [&] { solve(Op::none); }).find("row 30 has no diagonal"),
            std::string::npos);
  solve(Op::none, {.unit = true});
  EXPECT_THROW((TriangularSolver<double>(a, {}, {.algorithm = "magic"})), Error);
  EXPECT_THROW((TriangularSolver<double>(a, {}, {.threads = 0})), Error);
}

TEST(ComponentSolver, RefusesVectorsThatDoNotFit) {
  TriangularSolver<double> solver(random_lower<double>(30, 2, 5), {});
  std::vector<double> b(29), x(30);
  EXPECT_THROW(solver.solve(b, x), Error);
  TriangularSolver<double> empty(matrix::Csr<double>{}, {});
  std::vector<double> nothing;
  empty.solve(nothing, nothing);
}

}  // namespace
}  // namespace trisweep::component
