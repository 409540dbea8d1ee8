// What is wrong with a system is said of the caller's own rows, on every rank; what is only large is solved.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/collective_error.hpp"
#include "support/largest.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing::HasSubstr;
using testing_support::collective_error_of;
using testing_support::random_matrix;
using testing_support::RowsOf;
using testing_support::scattered;
using testing_support::show_life;
using testing_support::uneven_blocks;
using testing_support::world_size;

constexpr Index n = 23;

template <class T>
class InputTest : public testing::Test {
 protected:
  static std::vector<T> ones(const RowsOf<double>& rows, Index cols) {
    return std::vector<T>(rows.number.size() * usize(cols), T(1));
  }
  static Answer solve(Solver<T>& solver, const std::vector<T>& b, std::vector<T>& x, Index cols) {
    x.assign(b.size(), T(0));
    return solver.solve({b.data(), solver.rows(), cols}, {x.data(), solver.rows(), cols});
  }
};
TYPED_TEST_SUITE(InputTest, testing_support::Scalars);

TYPED_TEST(InputTest, OfARightHandSideThatIsNotFiniteIsNamed) {
  using T = TypeParam;
  using R = RealOf<T>;
  const auto a = random_matrix<T>({.n = n, .per_row = 2, .seed = 8});
  for (const bool listed : {false, true}) {
    const RowsOf<double> rows = listed ? scattered(n) : uneven_blocks(n);
    Solver<T> solver(MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, listed));
    const auto factors = solver.report().factor.supernodes;
    std::vector<T> x, b = this->ones(rows, 3);
    for (const R value : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
      constexpr Index row = 14;
      for (std::size_t i = 0; i < rows.number.size(); ++i)
        b[rows.number.size() + i] = T(rows.number[i] == row ? value : R(1));
      EXPECT_THAT(collective_error_of(ErrorKind::input, [&] { this->solve(solver, b, x, 3); }),
                  HasSubstr("the right-hand side is not finite in row 14, column 1 (counting from 0)"));
      EXPECT_FALSE(solver.report().factor.second_try);
      EXPECT_EQ(solver.report().factor.supernodes, factors);
    }
    EXPECT_TRUE(this->solve(solver, this->ones(rows, 1), x, 1).solved()) << "the solver is as it was";
  }
}

TEST(Input, IsNotBlamedForASolutionThatOverflows) {
  const auto rows = uneven_blocks(n);
  auto a = random_matrix<double>({.n = n, .per_row = 0, .seed = 8});
  for (double& v : a.value) v = 1e-10;
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  const std::vector<double> b(rows.number.size(), 1e308);
  std::vector<double> x(b.size());
  EXPECT_FALSE(solver.solve(b, x).satisfies);
}

// On the one rank that has it, of rows in any order.
TEST(Input, OfNewValuesAndSparseRightHandSidesIsNamed) {
  const auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
  auto bad = a;
  bad.value[usize(a.pattern.row_ptr[14])] = std::nan("");
  for (const bool listed : {false, true}) {
    const auto rows = listed ? scattered(n) : uneven_blocks(n);
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, listed));
    EXPECT_THAT(collective_error_of(ErrorKind::input, [&] { solver.refactor(rows.of(bad, listed).a.value); }),
                HasSubstr(" of the matrix, in row 14 (counting from 0), is not finite"));
    std::vector<Offset> ptr{0, 0};
    std::vector<Index> row;
    std::vector<double> value;
    for (Index i = 0; i < solver.rows(); ++i) {
      row.push_back(i);
      value.push_back(rows.number[usize(i)] == 14 ? std::nan("") : 1);
    }
    ptr.push_back(std::ssize(row));
    std::vector<double> x(2 * row.size());
    EXPECT_THAT(collective_error_of(ErrorKind::input,
                                    [&] {
                                      solver.solve_rows({ptr, row, value}, row, {x.data(), solver.rows(), 2});
                                    }),
                HasSubstr("the right-hand side is not finite in row 14, column 1 (counting from 0)"));
  }
}

// Of the last row of all alone, in any order of rows.
class NamesRows : public testing::TestWithParam<bool> {
 protected:
  template <class Spoil>
  std::string message(const Spoil& spoil) {
    show_life();
    auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
    spoil(a);
    const auto rows = GetParam() ? scattered(n) : uneven_blocks(n);
    try {
      Solver<double> solver(MPI_COMM_WORLD, rows.of(a, GetParam()));
    } catch (const mpi::CollectiveError& error) {
      return error.what();
    }
    return "no error";
  }
  static std::span<double> values(matrix::Csr<double>& a, Index row) {
    const auto& begin = a.pattern.row_ptr;
    return std::span(a.value).subspan(usize(begin[usize(row)]),
                                      usize(begin[usize(row) + 1] - begin[usize(row)]));
  }
};

TEST_P(NamesRows, OfEntriesThatAreNotFinite) {
  const std::string text = message([](auto& a) { values(a, 14).back() = std::nan(""); });
  EXPECT_THAT(text, HasSubstr("the entry in row 14, column "));
  EXPECT_THAT(text, HasSubstr("(counting from 0) is not finite"));
}

TEST_P(NamesRows, WithoutEntries) {
  EXPECT_THAT(message([](auto& a) { std::ranges::fill(values(a, 14), 0.0); }),
              HasSubstr("row 14 (counting from 0) has no nonzero"));
}

// Two rows in one column: the second one is left over.
TEST_P(NamesRows, ThatCannotBeMatched) {
  const std::string text = message([](auto& a) {
    for (const Index row : {3, 14}) {
      for (const Offset e : a.pattern.entries(row)) a.value[usize(e)] = 0;
    }
    a.pattern.col[usize(a.pattern.row_ptr[3])] = a.pattern.col[usize(a.pattern.row_ptr[14])] = 0;
    a.value[usize(a.pattern.row_ptr[3])] = a.value[usize(a.pattern.row_ptr[14])] = 1;
  });
  EXPECT_THAT(text, HasSubstr("structural rank is 22 of 23"));
  EXPECT_THAT(text, testing::AnyOf(HasSubstr("row 3 (counting"), HasSubstr("row 14 (counting")));
}

INSTANTIATE_TEST_SUITE_P(Listed, NamesRows, testing::Bool());

TEST(Input, HasThreadsWithinLimits) {
  const auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
  for (const int threads : {-1, most_threads + 1}) {
    try {
      Solver<double>(MPI_COMM_WORLD, uneven_blocks(n).of(a, false), {.threads = threads});
      ADD_FAILURE() << threads;
    } catch (const mpi::CollectiveError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("from 0 to 1024"));
    }
  }
}

// Of three diagonals, nearly singular: sums of rows are as large as the entries, and solutions above one.
template <Scalar T>
matrix::Csr<T> three_diagonals() {
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(RealOf<T>(i == j ? 4 : j < i ? -2 : -1.9));
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  if constexpr (is_complex<T>) a.value.front() = {4, 3};
  return a;
}

// Whose sums of rows, and products with the solution, are beyond the largest number.
TYPED_TEST(InputTest, NearTheLargestNumberIsSolved) {
  using T = TypeParam;
  using R = RealOf<T>;
  const auto ordinary = three_diagonals<T>();
  const R unit = std::ldexp(R(1), std::numeric_limits<R>::max_exponent - 3);
  auto huge = ordinary;
  for (T& v : huge.value) v *= unit;
  for (const bool listed : {false, true}) {
    const RowsOf<double> rows = listed ? scattered(n) : uneven_blocks(n);
    const auto values = [&](const auto& a) { return RowsOf<T>{rows.number}.of(a, listed); };
    Solver<T> solver(MPI_COMM_WORLD, values(ordinary));
    std::vector<T> expected, x, b = this->ones(rows, 2);
    this->solve(solver, b, expected, 2);
    const double close = 1e4 * std::numeric_limits<R>::epsilon();
    for (const bool made_so : {true, false}) {
      if (made_so) solver = Solver<T>(MPI_COMM_WORLD, values(huge));
      if (!made_so) solver.refactor(values(huge).a.value);
      for (T& v : b) v = unit;
      EXPECT_TRUE(this->solve(solver, b, x, 2).solved());
      EXPECT_FALSE(solver.report().factor.second_try);
      EXPECT_LE(testing_support::largest_difference(x, expected), close);
      solver.sweep({b.data(), solver.rows(), 2}, {x.data(), solver.rows(), 2});
      EXPECT_LE(testing_support::largest_difference(x, expected), close);
      solver.refactor(values(ordinary).a.value);
      for (T& v : b) v = 1;
      EXPECT_TRUE(this->solve(solver, b, x, 2).solved());
      EXPECT_LE(testing_support::largest_difference(x, expected), close);
    }
  }
}

}  // namespace
}  // namespace trisweep::solve
