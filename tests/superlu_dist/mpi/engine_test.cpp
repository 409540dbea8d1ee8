#include "trisweep/superlu_dist/engine.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/factor_engine.hpp"
#include "support/scalars.hpp"
#include "trisweep/solve/analyzed_system.hpp"

namespace trisweep::superlu_dist {
namespace {

using solve::SolverOptions;
using testing_support::every_op;
using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::scattered_rows;
using testing_support::solve_known;
using testing_support::weak_diagonal;
using testing_support::world_rank;
using testing_support::world_size;

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
  const auto a = weak_diagonal<T>();
  for (const Index parallel_from : {1, 1 << 30}) {
    const auto rows = scattered_rows<T>(a.rows());
    solve::Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), options<T>({.parallel_from = parallel_from}));
    EXPECT_EQ(solver.report().factor.factorization, "superlu-dist");
    EXPECT_FALSE(solver.report().factor.second_try);
    for (const Op op : every_op) {
      const auto made = solve_known(solver, a, rows, op);
      EXPECT_TRUE(made.answer.solved()) << static_cast<char>(op);
      EXPECT_LT(made.error, 1e4 * std::numeric_limits<RealOf<T>>::epsilon()) << static_cast<char>(op);
    }
  }
}

TEST(Engine, HasAnyPlan) {
  const auto a = weak_diagonal<double>();
  const auto rows = scattered_rows<double>(a.rows());
  for (const auto& grid : grids_of(world_size())) {
    for (const char* mapping : {"block-cyclic", "proportional"}) {
      SolverOptions with = options<double>();
      with.plan = model::only({.grid = grid, .mapping = mapping});
      with.compress.eps = mapping[0] == 'p' ? 1e-8 : 0;
      solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), with);
      EXPECT_LT(solve_known(solver, a, rows, Op::none).error, 1e-11) << grid.name() << mapping;
    }
  }
}

// Values that were zero, too: the structure is that of the pattern.
TEST(Engine, FactorsOtherValuesInTheSameStructure) {
  auto a = weak_diagonal<double>();
  auto sparser = a;
  for (std::size_t e = 0; e < a.value.size(); e += 3) {
    if (std::abs(sparser.value[e]) < 0.2) sparser.value[e] = 0;
  }
  for (const Index parallel_from : {1, 1 << 30}) {
    const auto rows = scattered_rows<double>(a.rows());
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(sparser, true),
                                 options<double>({.parallel_from = parallel_from}));
    EXPECT_LT(solve_known(solver, sparser, rows, Op::none).error, 1e-11);
    const Index supernodes = solver.report().factor.supernodes;
    for (const auto& next : {a, sparser, a}) {
      solver.refactor(rows.of(next, true).a.value);
      EXPECT_EQ(solver.report().factor.factorization, "superlu-dist");
      EXPECT_EQ(solver.report().factor.supernodes, supernodes);
      const auto made = solve_known(solver, next, rows, Op::transpose);
      EXPECT_TRUE(made.answer.solved());
      EXPECT_LT(made.error, 1e-11);
    }
  }
}

template <Scalar T>
std::string error_of(const matrix::Csr<T>& a, const SolverOptions& with = options<T>()) {
  return testing_support::error_of_solver(a, with);
}

// The product of a row's and a column's scale is none, where an entry times both is.
TEST(Engine, TakesEntriesBelowTheNormalNumbers) {
  matrix::Csr<double> a{{2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {0, 3e-320, 2, 1}};
  for (const double tiny : {0.0, 1e-320}) {
    a.value[0] = tiny;
    const auto rows = scattered_rows<double>(a.rows());
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), options<double>());
    EXPECT_EQ(solver.report().factor.factorization, "superlu-dist");
  }
}

TEST(Engine, ErrorsAreTheSameOnAllRanks) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  if constexpr (testing_support::has_single) {
    EXPECT_TRUE(has(error_of(weak_diagonal<Single<double>>()), "no factors in single precision"));
    EXPECT_TRUE(has(error_of(weak_diagonal<Single<std::complex<double>>>()),
                    "no complex factors in single precision"));
    SolverOptions mixed = options<double>();
    mixed.mixed = true;
    EXPECT_TRUE(has(error_of(weak_diagonal<double>(), mixed), "no factors in single precision"));
  }
  auto a = weak_diagonal<double>();
  for (Offset e = a.pattern.row_ptr[7]; e < a.pattern.row_ptr[8]; ++e) a.value[usize(e)] = 0;
  EXPECT_TRUE(has(error_of(a), "singular"));
  SolverOptions differ = options<double>();
  if (world_rank() > 0) differ.factorization = nullptr;
  const std::string text = error_of(weak_diagonal<double>(), differ);
  EXPECT_NE(text.find(world_size() > 1 ? "factorization" : "none"), std::string::npos) << text;
}

// Two equal rows: a solution, or a verdict, by whatever factors.
TEST(Engine, JudgesSingularSystems) {
  auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  matrix::Csr<double> twice{{60, 60, {0}, {}}, {}};
  for (Index i = 0; i < 60; ++i) {
    const Index from = i == 59 ? 58 : i;
    for (const Offset e : a.pattern.entries(from)) {
      twice.pattern.col.push_back(a.pattern.col[usize(e)]);
      twice.value.push_back(a.value[usize(e)]);
    }
    twice.pattern.row_ptr.push_back(std::ssize(twice.pattern.col));
  }
  const auto rows = scattered_rows<double>(60);
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
    const auto a = testing_support::rotation(n);
    const auto rows = scattered_rows<double>(n);
    solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), options<double>());
    EXPECT_LT(solve_known(solver, a, rows, Op::none).error, 1e-14) << n;
  }
}

// Rank 0 alone has the analysis, and all refuse it.
TEST(Engine, TakesNoAnalysis) {
  const auto a = weak_diagonal<double>();
  const auto rows = scattered_rows<double>(a.rows());
  const solve::AnalyzedSystem<double> analyzed(MPI_COMM_WORLD, rows.of(a, true));
  const std::vector<double> values = rows.of(a, true).a.value;
  EXPECT_THROW(analyzed.factorize(MPI_COMM_WORLD, values, options<double>()), Error);
  auto solver = analyzed.factorize(MPI_COMM_WORLD, values);
  EXPECT_TRUE(solve_known(solver, a, rows).answer.solved());
}

}  // namespace
}  // namespace trisweep::superlu_dist
