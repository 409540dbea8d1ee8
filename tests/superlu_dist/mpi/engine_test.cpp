#include "trisweep/superlu_dist/engine.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gallery/gallery.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::superlu_dist {
namespace {

using solve::Answer;
using solve::SolverOptions;
using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::world_rank;
using testing_support::world_size;

template <Scalar T>
testing_support::RowsOf<T> scattered(Index n) {
  return {testing_support::scattered(n).number};
}

constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

// Its diagonal is weak: rows are exchanged, and have units of their own.
template <Scalar T>
matrix::Csr<T> unsymmetric(Index n = 150) {
  const auto a = random_matrix<T>({.n = n, .per_row = 3, .seed = 4});
  std::vector<Index> row_new, col_new;
  std::vector<double> row_scale, one(usize(n), 1);
  for (Index i = 0; i < n; ++i) {
    row_new.push_back((7 * i + 3) % n);
    col_new.push_back(i);
    row_scale.push_back(i % 5 == 0 ? 30 : 0.25);
  }
  return matrix::permuted_and_scaled<T>(a, row_new, col_new, row_scale, one);
}

// Of A x = b with x known, by a solver whose ranks have these rows.
template <Scalar T>
struct Solved {
  Answer answer;
  double error;  // the largest of x, over all ranks
};

template <Scalar T>
Solved<T> solved(solve::Solver<T>& solver, const matrix::Csr<T>& a, const testing_support::RowsOf<T>& rows,
                 Op op, Index nrhs = 2) {
  show_life();
  const auto n = usize(a.rows());
  const auto exact = random_vector<T>(n * usize(nrhs), 5);
  std::vector<T> b(exact.size());
  for (Index c = 0; c < nrhs; ++c)
    matrix::multiply<T>(a, op, std::span(exact).subspan(usize(c) * n, n),
                        std::span(b).subspan(usize(c) * n, n));
  std::vector<T> mine, truth;
  for (Index c = 0; c < nrhs; ++c) {
    for (const Index i : rows.number) {
      mine.push_back(b[usize(c) * n + usize(i)]);
      truth.push_back(exact[usize(c) * n + usize(i)]);
    }
  }
  std::vector<T> x(mine.size());
  const auto count = static_cast<Index>(rows.number.size());
  Answer answer = solver.solve({mine.data(), count, nrhs}, {x.data(), count, nrhs}, op);
  const double error = testing_support::largest_difference(x, truth);
  return {std::move(answer), mpi::Communicator(MPI_COMM_WORLD).max(error)};
}

template <Scalar T>
SolverOptions options(const EngineOptions& of_engine = {}) {
  return {.factorization = engine(of_engine)};
}

using Types = testing::Types<double, std::complex<double>>;
template <class T>
class EngineOf : public testing::Test {};
TYPED_TEST_SUITE(EngineOf, Types);

TYPED_TEST(EngineOf, SolvesWhereRowsAre) {
  using T = TypeParam;
  const auto a = unsymmetric<T>();
  for (const Index parallel_from : {1, 1 << 30}) {
    const auto rows = scattered<T>(a.rows());
    solve::Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), options<T>({.parallel_from = parallel_from}));
    EXPECT_EQ(solver.report().factor.factorization, "superlu-dist");
    EXPECT_FALSE(solver.report().factor.second_try);
    for (const Op op : ops) {
      const auto made = solved<T>(solver, a, rows, op);
      EXPECT_TRUE(made.answer.solved()) << static_cast<char>(op);
      EXPECT_LT(made.error, 1e4 * std::numeric_limits<RealOf<T>>::epsilon()) << static_cast<char>(op);
    }
  }
}

TEST(Engine, HasAnyPlan) {
  const auto a = unsymmetric<double>();
  const auto rows = scattered<double>(a.rows());
  for (const auto& grid : grids_of(world_size())) {
    for (const char* mapping : {"block-cyclic", "proportional"}) {
      SolverOptions with = options<double>();
      with.plan = model::only({.grid = grid, .mapping = mapping});
      with.compress.eps = mapping[0] == 'p' ? 1e-8 : 0;
      solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), with);
      EXPECT_LT(solved<double>(solver, a, rows, Op::none).error, 1e-11) << grid.name() << mapping;
    }
  }
}

// Values that were zero, too: the structure is that of the pattern.
TEST(Engine, FactorsOtherValuesInTheSameStructure) {
  auto a = unsymmetric<double>();
  auto sparser = a;
  for (std::size_t e = 0; e < a.value.size(); e += 3) {
    if (std::abs(sparser.value[e]) < 0.2) sparser.value[e] = 0;
  }
  for (const Index parallel_from : {1, 1 << 30}) {
    const auto rows = scattered<double>(a.rows());
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(sparser, true),
                                 options<double>({.parallel_from = parallel_from}));
    EXPECT_LT(solved<double>(solver, sparser, rows, Op::none).error, 1e-11);
    const Index supernodes = solver.report().factor.supernodes;
    for (const auto& next : {a, sparser, a}) {
      solver.refactor(rows.of(next, true).a.value);
      EXPECT_EQ(solver.report().factor.factorization, "superlu-dist");
      EXPECT_EQ(solver.report().factor.supernodes, supernodes);
      const auto made = solved<double>(solver, next, rows, Op::transpose);
      EXPECT_TRUE(made.answer.solved());
      EXPECT_LT(made.error, 1e-11);
    }
  }
}

// The error of making a solver, the same on all ranks; "none".
template <Scalar T>
std::string error_of(const matrix::Csr<T>& a, SolverOptions with = options<T>()) {
  std::string text = "none";
  try {
    solve::Solver<T>(MPI_COMM_WORLD, scattered<T>(a.rows()).of(a, true), with);
  } catch (const Error& e) {
    text = e.what();
  }
  std::string first = text;
  mpi::Communicator(MPI_COMM_WORLD).broadcast(first);
  EXPECT_EQ(text, first);
  return text;
}

TEST(Engine, ErrorsAreTheSameOnAllRanks) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  if constexpr (testing_support::has_single) {
    EXPECT_TRUE(has(error_of(unsymmetric<Single<double>>()), "no factors in single precision"));
    EXPECT_TRUE(
        has(error_of(unsymmetric<Single<std::complex<double>>>()), "no complex factors in single precision"));
    SolverOptions mixed = options<double>();
    mixed.mixed = true;
    EXPECT_TRUE(has(error_of(unsymmetric<double>(), mixed), "no factors in single precision"));
  }
  auto a = unsymmetric<double>();
  for (Offset e = a.pattern.row_ptr[7]; e < a.pattern.row_ptr[8]; ++e) a.value[usize(e)] = 0;
  EXPECT_TRUE(has(error_of(a), "singular"));
  SolverOptions differ = options<double>();
  if (world_rank() > 0) differ.factorization = nullptr;
  const std::string text = error_of(unsymmetric<double>(), differ);
  EXPECT_NE(text.find(world_size() > 1 ? "factorization" : "none"), std::string::npos) << text;
}

// Two equal rows: a solution, or a verdict, by whatever factors.
TEST(Engine, JudgesSingularSystems) {
  auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  matrix::Csr<double> twice{{60, 60, {0}, {}}, {}};
  for (Index i = 0; i < 60; ++i) {
    const Index from = i == 59 ? 58 : i;
    for (Offset e = a.pattern.row_ptr[usize(from)]; e < a.pattern.row_ptr[usize(from) + 1]; ++e) {
      twice.pattern.col.push_back(a.pattern.col[usize(e)]);
      twice.value.push_back(a.value[usize(e)]);
    }
    twice.pattern.row_ptr.push_back(std::ssize(twice.pattern.col));
  }
  const auto rows = scattered<double>(60);
  try {
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(twice, true), options<double>());
    std::vector<double> b(usize(solver.rows()), 1.0), x(b.size());
    for (std::size_t k = 0; k < b.size(); ++k) b[k] += rows.number[k] == 59 ? 1 : 0;
    EXPECT_FALSE(solver.solve(b, x).solved());
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::numerical) << e.what();
  }
}

TEST(Engine, SmallestSystems) {
  for (const Index n : {1, 2, 3, 5}) {
    matrix::Csr<double> a{{n, n, {0}, {}}, {}};
    for (Index i = 0; i < n; ++i) {
      a.pattern.col.push_back((i + 1) % n);
      a.value.push_back(2.0 + double(i));
      a.pattern.row_ptr.push_back(i + 1);
    }
    const auto rows = scattered<double>(n);
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), options<double>());
    EXPECT_LT(solved<double>(solver, a, rows, Op::none).error, 1e-14) << n;
  }
}

}  // namespace
}  // namespace trisweep::superlu_dist
