#include "trisweep/sptrsv/row_solver.hpp"

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::sptrsv {
namespace {

using testing_support::lower_matrices;
using testing_support::random_lower;
using testing_support::random_vector;
using testing_support::residual;

template <class T>
class ComponentSolver : public ::testing::Test {};
TYPED_TEST_SUITE(ComponentSolver, testing_support::Scalars);

// Satisfies the equations, and gives the same bits as `first`, unless that is empty.
template <Scalar T>
void expect_solves(RowSolver<T>& solver, const matrix::Csr<T>& a, Form form, Op op, Index nrhs,
                   std::vector<T>& first) {
  const auto b = random_vector<T>(usize(a.rows()) * usize(nrhs), 3);
  std::vector<T> x(b.size());
  const Vectors<const T> right(b.data(), a.rows(), nrhs);
  solver.solve(right, {x.data(), a.rows(), nrhs}, op);
  if (first.empty()) {
    first = x;
    EXPECT_LT(residual<T>(a, form.unit, op, Vectors<const T>(x.data(), a.rows(), nrhs), right), 40);
  }
  EXPECT_EQ(x, first) << solver.choice(op).algorithm;
}

// Either triangle, every op, with and without a diagonal of its own, one and many right-hand sides.
TYPED_TEST(ComponentSolver, SolvesAlikeByEveryAlgorithmWithAnyThreads) {
  using T = TypeParam;
  int turn = 0;
  for (const auto& lower : lower_matrices<T>()) {
    for (const bool upper : {false, true}) {
      const auto a = upper ? matrix::transpose(lower) : lower;
      const Form form{.upper = upper, .unit = ++turn % 3 == 0};
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        testing_support::show_life();
        // A row is added up in the same order, but with many right-hand sides in another one.
        std::vector<T> one, many;
        for (const auto& algorithm : algorithms()) {
          for (const int threads : {1, 2, 3}) {
            RowSolver<T> solver(a, form, {.algorithm = std::string(algorithm.name), .threads = threads});
            expect_solves(solver, a, form, op, 1, one);
            if (threads != 2) expect_solves(solver, a, form, op, 32, many);
          }
        }
      }
    }
  }
}

TYPED_TEST(ComponentSolver, SolvesForAnyNumberOfRightHandSidesInPlaceToo) {
  using T = TypeParam;
  const auto a = random_lower<T>(700, 4, 60);
  RowSolver<T> solver(a, {}, {.threads = 2});
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
    RowSolver<double>(a, {}).solve(b, x);
    EXPECT_NEAR(x[0], b[0] / diagonal, 1e-15);
    EXPECT_NEAR(x[1], 0, 1e-13);
  }
}

TEST(ComponentSolver, RepeatsWithOtherValuesAndMoves) {
  auto a = random_lower<double>(2000, 3, 40);
  RowSolver<double> made(a, {}, {.algorithm = "sync-free", .threads = 3});
  const auto b = random_vector<double>(2000, 1);
  std::vector<double> x(b.size());
  for (const Op op : {Op::none, Op::transpose}) made.solve(b, x, op);
  RowSolver<double> solver = std::move(made);
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
  RowSolver<double> alone(chain, {}, {.threads = 2});
  alone.prepare(Op::none);
  EXPECT_EQ(alone.choice(Op::none).waits, 0);
  EXPECT_NE(alone.choice(Op::none).reason.find("regions"), std::string::npos);
  const auto wide = random_lower<double>(40000, 2, 40000);
  RowSolver<double> both(wide, {}, {.threads = 2});
  both.prepare(Op::none);
  EXPECT_NE(both.choice(Op::none).algorithm, "sequential");
  RowSolver<double> once(wide, {}, {.threads = 2, .solves = 1});
  once.prepare(Op::none);
  EXPECT_EQ(once.choice(Op::none).algorithm, "sequential");
}

// One thread has the numbers that have no inverse, and the other one has not.
TEST(ComponentSolver, GivesTheSameBitsWhereSomeInversesAreNoNumbers) {
  auto a = random_lower<double>(3000, 0, 1);
  for (double& value : a.value) value *= 1.1;
  a.value.front() = 1e-310;
  const auto b = random_vector<double>(3000, 2);
  std::vector<double> alone(b.size()), together(b.size());
  RowSolver<double>(a, {}).solve(b, alone);
  RowSolver<double>(a, {}, {.algorithm = "sync-free", .threads = 3}).solve(b, together);
  EXPECT_EQ(alone, together);
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
  const auto solve = [&](Op op, Form form = {}) { RowSolver<double>(a, form).prepare(op); };
  const auto diagonal_of = [&](Index row) -> double& {
    return a.value[usize(a.pattern.row_ptr[usize(row) + 1] - 1)];
  };
  for (const Op op : {Op::none, Op::transpose}) {
    diagonal_of(11) = 0;
    EXPECT_NE(error_of(ErrorKind::numerical, [&] { solve(op); }).find("row 11 (counting from 0) is zero"),
              std::string::npos);
    solve(op, {.unit = true});
    diagonal_of(11) = std::numeric_limits<double>::infinity();
    EXPECT_NE(
        error_of(ErrorKind::numerical, [&] { solve(op); }).find("row 11 (counting from 0) is not finite"),
        std::string::npos);
    diagonal_of(11) = 1;
    EXPECT_NE(error_of(ErrorKind::input, [&] { solve(op, {.upper = true}); }).find("below the diagonal"),
              std::string::npos);
    Index& last = a.pattern.col[usize(a.pattern.row_ptr[8] - 1)];  // of row 8
    last = 20;
    EXPECT_NE(
        error_of(ErrorKind::input, [&] { solve(op); }).find("row 7, column 20 (counting from 0), above"),
        std::string::npos);
    last = 7;
  }
  a.pattern.row_ptr.back() -= 1;
  a.pattern.col.pop_back();
  a.value.pop_back();
  EXPECT_NE(
      error_of(ErrorKind::input, [&] { solve(Op::none); }).find("row 29 (counting from 0) has no diagonal"),
      std::string::npos);
  solve(Op::none, {.unit = true});
  EXPECT_THROW((RowSolver<double>(a, {}, {.algorithm = "magic"})), Error);
  EXPECT_THROW((RowSolver<double>(a, {}, {.threads = 0})), Error);
}

TEST(ComponentSolver, RefusesRowsThatAreNoMatrix) {
  auto a = random_lower<double>(30, 2, 5);
  a.pattern.col[usize(a.pattern.row_ptr[8])] = -5000000;
  EXPECT_NE(error_of(ErrorKind::usage, [&] { RowSolver<double>(a, {}); }).find("columns of row 8"),
            std::string::npos);
}

TEST(ComponentSolver, RefusesVectorsThatDoNotFit) {
  RowSolver<double> solver(random_lower<double>(30, 2, 5), {});
  std::vector<double> b(29), x(30);
  EXPECT_THROW(solver.solve(b, x), Error);
  RowSolver<double> empty(matrix::Csr<double>{}, {});
  std::vector<double> nothing;
  empty.solve(nothing, nothing);
}

}  // namespace
}  // namespace trisweep::sptrsv
